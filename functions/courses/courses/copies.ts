import * as courses from "../../../lib/courses/copying.ts";
import * as offerings from "../../../lib/courses/offerings/copying.ts";
import { created, endpoint } from "../../../lib/http/endpoint.ts";
import { may } from "../../../lib/identity/auth/guards.ts";
import { CourseCopy, OfferingCopy } from "../../../schema/api/courses/copies.ts";
import { Course } from "../../../schema/api/courses/courses.ts";
import { Offering } from "../../../schema/api/courses/offerings.ts";
import { pathIds } from "../../../schema/api/platform/fields.ts";

export const copyCourse = endpoint(
  {
    id: "copyCourse",
    method: "post",
    path: "/{course_id}/copy",
    summary: "Copy a course with its tree and content",
    description:
      "Into the same university, with its settings, subjects, prerequisites, modules, items and question pools; dates " +
      "are moved. Its offerings are not copied, nor anything that people did there.",
    ...may("course:write"),
    params: pathIds("course_id"),
    body: CourseCopy,
    ...created(Course, "The new course"),
    fails: [400, 403, 404],
    refuses: { 400: ["already_taken"] },
  },
  ({ deps, actor, params, body }) => courses.copyCourse(deps.db, actor, params.course_id, body),
);

export const copyCourseOffering = endpoint(
  {
    id: "copyCourseOffering",
    method: "post",
    path: "/{course_id}/offerings/{offering_id}/copy",
    summary: "Copy an offering, and its course with it",
    description:
      "With its settings and instructors, and without the people in it; dates are moved. Modules and items belong to the " +
      "course, which is copied too, unless `same_course` asks for a further run of the same one: that says its own dates.",
    ...may("course:write", "key:read", "offering:create"),
    params: pathIds("course_id", "offering_id"),
    body: OfferingCopy,
    ...created(Offering, "The new offering, of the new course or of the same one"),
    fails: [400, 403, 404],
    refuses: { 400: ["university_inactive"] },
  },
  ({ deps, actor, params, body }) => offerings.copyOffering(deps.db, actor, params, body),
);
