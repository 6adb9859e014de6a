import * as prerequisites from "../../../lib/courses/prerequisites.ts";
import { created, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { permittedTo, publicOrPermittedTo } from "../../../lib/identity/auth/guards.ts";
import { Prerequisite, PrerequisiteCreate, PrerequisiteQuery } from "../../../schema/api/courses/courses.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";

const all = "/{course_id}/prerequisites";
const course = pathIds("course_id");

export const listCoursePrerequisites = endpoint(
  {
    id: "listCoursePrerequisites",
    method: "get",
    path: all,
    changesSeldom: true,
    summary: "List prerequisites of a course",
    ...publicOrPermittedTo("course:read-unpublished"),
    params: course,
    query: PrerequisiteQuery,
    ...ok(listOf(Prerequisite), "Prerequisites, by id"),
    fails: [404],
  },
  ({ deps, actor, params, query }) =>
    prerequisites.listPrerequisites(deps.db, actor, params.course_id, query),
);

export const addCoursePrerequisite = endpoint(
  {
    id: "addCoursePrerequisite",
    method: "post",
    path: all,
    summary: "Add a prerequisite to a course",
    description:
      "The prerequisite must be a course of the same university that does not depend on this one, " +
      "directly or indirectly.",
    ...permittedTo("course:write"),
    params: course,
    body: PrerequisiteCreate,
    ...created(Prerequisite, "The new prerequisite"),
    fails: [400, 403, 404],
    refuses: { 400: ["already_taken"] },
  },
  ({ deps, actor, params, body }) => prerequisites.addPrerequisite(deps.db, actor, params.course_id, body),
);

export const removeCoursePrerequisite = endpoint(
  {
    id: "removeCoursePrerequisite",
    method: "delete",
    path: `${all}/{prerequisite_course_id}`,
    summary: "Remove a prerequisite from a course",
    ...permittedTo("course:write"),
    params: pathIds("course_id", "prerequisite_course_id"),
    ...noContent("Removed"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) =>
    prerequisites.removePrerequisite(deps.db, actor, params.course_id, params.prerequisite_course_id),
);
