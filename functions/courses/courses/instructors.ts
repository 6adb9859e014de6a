import * as instructors from "../../../lib/courses/offerings/instructors.ts";
import { createdOrAccepted, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { may, publishedOr } from "../../../lib/identity/auth/guards.ts";
import {
  Instructor,
  InstructorCreate,
  InstructorQuery,
  NamedInstructor,
} from "../../../schema/api/courses/offerings.ts";
import { Offered } from "../../../schema/api/courses/offers.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";

const all = "/{course_id}/offerings/{offering_id}/instructors";
const offering = pathIds("course_id", "offering_id");

export const listCourseOfferingInstructors = endpoint(
  {
    id: "listCourseOfferingInstructors",
    method: "get",
    path: all,
    summary: "List who teaches an offering",
    ...publishedOr("course:read-unpublished"),
    params: offering,
    query: InstructorQuery,
    ...ok(listOf(Instructor), "The instructors that are asked for"),
    fails: [404],
  },
  ({ deps, actor, params, query }) => instructors.listInstructors(deps.db, actor, params, query),
);

export const addCourseOfferingInstructor = endpoint(
  {
    id: "addCourseOfferingInstructor",
    method: "post",
    path: all,
    summary: "Let a person teach an offering",
    description:
      "Someone whom the caller may see by `user_id`, anyone else by `email`. Who is not the university's own person is " +
      "offered it, and accepting that makes them teach. They have the rights of an instructor in the course for as long as they hold a role " +
      "of ta or above in its university.",
    ...may("offering:write"),
    params: offering,
    body: InstructorCreate,
    ...createdOrAccepted(NamedInstructor, "The new instructor", {
      schema: Offered,
      description: "The offer to teach it, made or renewed, whose mail is on its way",
    }),
    fails: [400, 403, 404, 429],
    refuses: { 400: ["already_taken", "university_inactive"], 429: ["too_often"] },
  },
  ({ deps, actor, params, body }) => instructors.addInstructor(deps.db, actor, params, body, deps.config),
);

export const removeCourseOfferingInstructor = endpoint(
  {
    id: "removeCourseOfferingInstructor",
    method: "delete",
    path: `${all}/{user_id}`,
    summary: "Take a person off an offering's instructors",
    ...may("offering:write"),
    params: pathIds("course_id", "offering_id", "user_id"),
    ...noContent("Taken off"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) => instructors.removeInstructor(deps.db, actor, params, params.user_id),
);
