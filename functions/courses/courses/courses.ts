import * as courses from "../../../lib/courses/courses.ts";
import * as stats from "../../../lib/courses/stats.ts";
import * as subjects from "../../../lib/courses/subjects.ts";
import { created, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { permittedTo, publicOrPermittedTo } from "../../../lib/identity/auth/guards.ts";
import { allowedModels } from "../../../lib/platform/llm/models.ts";
import {
  Course,
  CourseCreate,
  CourseQuery,
  CourseStats,
  CourseSubject,
  CourseSubjects,
  CourseSummary,
  CourseUpdate,
} from "../../../schema/api/courses/courses.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";

const params = pathIds("course_id");

export const listCourses = endpoint(
  {
    id: "listCourses",
    method: "get",
    path: "/",
    changesSeldom: true,
    summary: "List courses",
    ...publicOrPermittedTo("course:read-unpublished"),
    query: CourseQuery,
    ...ok(listOf(CourseSummary), "Courses visible to the caller, by id by default"),
  },
  ({ deps, actor, query }) => courses.listCourses(deps.db, actor, query),
);

export const getCourse = endpoint(
  {
    id: "getCourse",
    method: "get",
    path: "/{course_id}",
    changesSeldom: true,
    summary: "Read a course",
    ...publicOrPermittedTo("course:read-unpublished"),
    params,
    ...ok(Course, "The course with details"),
    fails: [404],
  },
  ({ deps, actor, params }) => courses.getCourse(deps.db, actor, params.course_id),
);

export const createCourse = endpoint(
  {
    id: "createCourse",
    method: "post",
    path: "/",
    summary: "Create a course",
    ...permittedTo("course:write"),
    body: CourseCreate,
    ...created(Course, "The new course"),
    fails: [400, 403],
    refuses: { 400: ["already_taken", "does_not_exist"] },
  },
  ({ deps, actor, body }) => courses.createCourse(deps.db, actor, body, allowedModels(deps.config)),
);

export const updateCourse = endpoint(
  {
    id: "updateCourse",
    method: "put",
    path: "/{course_id}",
    summary: "Update a course",
    ...permittedTo("course:write"),
    params,
    body: CourseUpdate,
    versioned: Course,
    ...ok(Course, "The updated course"),
    fails: [400, 403, 404],
    refuses: { 400: ["already_taken", "does_not_exist"] },
  },
  ({ deps, actor, params, body, ifMatch }) =>
    courses.updateCourse(deps.db, actor, params.course_id, body, allowedModels(deps.config), ifMatch),
);

export const deleteCourse = endpoint(
  {
    id: "deleteCourse",
    method: "delete",
    path: "/{course_id}",
    summary: "Delete a course without enrollments",
    ...permittedTo("course:delete"),
    params,
    versioned: Course,
    ...noContent("Deleted, with its offerings, modules and content"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, ifMatch }) => courses.deleteCourse(deps.db, actor, params.course_id, ifMatch),
);

export const updateCourseSubjects = endpoint(
  {
    id: "updateCourseSubjects",
    method: "put",
    path: "/{course_id}/subjects",
    summary: "Replace the subjects of a course",
    description:
      "Send the complete set. The primary subject becomes the course's `primary_subject_id`. Without one, " +
      "the course has no primary subject.",
    ...permittedTo("course:write"),
    params,
    body: CourseSubjects,
    versioned: Course,
    ...ok(listOf(CourseSubject), "Subjects, by id"),
    fails: [400, 403, 404],
    refuses: { 400: ["does_not_exist"] },
  },
  ({ deps, actor, params, body, ifMatch }) =>
    subjects.replaceSubjects(deps.db, actor, params.course_id, body, ifMatch),
);

export const getCourseStats = endpoint(
  {
    id: "getCourseStats",
    method: "get",
    path: "/{course_id}/stats",
    summary: "Read statistics of a course",
    ...permittedTo("course:read-unpublished"),
    params,
    ...ok(CourseStats, "Counts, averages and rates"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) => stats.readCourseStats(deps.db, actor, params.course_id),
);
