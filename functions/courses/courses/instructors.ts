import * as instructors from "../../../lib/courses/offerings/instructors.ts";
import { createdOrAccepted, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { permittedTo, publicOrPermittedTo } from "../../../lib/identity/auth/guards.ts";
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
    summary: "List instructors of an offering",
    ...publicOrPermittedTo("course:read-unpublished"),
    params: offering,
    query: InstructorQuery,
    ...ok(listOf(Instructor), "The matching instructors"),
    fails: [404],
  },
  ({ deps, actor, params, query }) => instructors.listInstructors(deps.db, actor, params, query),
);

export const addCourseOfferingInstructor = endpoint(
  {
    id: "addCourseOfferingInstructor",
    method: "post",
    path: all,
    summary: "Add an instructor to an offering",
    description:
      "Send `user_id` for people visible to the caller, `email` for others. People outside the university " +
      "receive an offer and teach on acceptance. Instructors have instructor rights in the course while " +
      "they hold role ta or above in its university.",
    ...permittedTo("offering:write"),
    params: offering,
    body: InstructorCreate,
    ...createdOrAccepted(NamedInstructor, "The new instructor", {
      schema: Offered,
      description: "The offer, created or renewed; its mail is queued",
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
    summary: "Remove an instructor from an offering",
    ...permittedTo("offering:write"),
    params: pathIds("course_id", "offering_id", "user_id"),
    ...noContent("Removed"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) => instructors.removeInstructor(deps.db, actor, params, params.user_id),
);
