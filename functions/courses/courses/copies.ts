import * as courses from "../../../lib/courses/copying.ts";
import * as offerings from "../../../lib/courses/offerings/copying.ts";
import { created, endpoint } from "../../../lib/http/endpoint.ts";
import { permittedTo } from "../../../lib/identity/auth/guards.ts";
import { CourseCopy, OfferingCopy } from "../../../schema/api/courses/copies.ts";
import { Course } from "../../../schema/api/courses/courses.ts";
import { Offering } from "../../../schema/api/courses/offerings.ts";
import { pathIds } from "../../../schema/api/platform/fields.ts";

export const copyCourse = endpoint(
  {
    id: "copyCourse",
    method: "post",
    path: "/{course_id}/copy",
    summary: "Copy a course",
    description:
      "Copies settings, subjects, prerequisites, modules, items and question pools within the university. " +
      "Dates are shifted. Does not copy offerings or people's data.",
    ...permittedTo("course:write"),
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
    summary: "Copy an offering",
    description:
      "Copies settings and instructors, but no learners. Dates are shifted. The course with its modules " +
      "and items is copied too, unless `same_course` is set. With `same_course`, the new offering has its " +
      "own dates.",
    ...permittedTo("course:write", "key:read", "offering:create"),
    params: pathIds("course_id", "offering_id"),
    body: OfferingCopy,
    ...created(Offering, "The new offering of the new or the same course"),
    fails: [400, 403, 404],
    refuses: { 400: ["university_inactive"] },
  },
  ({ deps, actor, params, body }) => offerings.copyOffering(deps.db, actor, params, body),
);
