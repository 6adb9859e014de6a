import { may, publishedOr } from "../../lib/auth/guards.ts";
import {
  createCourse,
  deleteCourse,
  getCourse,
  listCourses,
  updateCourse,
} from "../../lib/courses/courses.ts";
import { courseStats } from "../../lib/courses/stats.ts";
import { replaceSubjects } from "../../lib/courses/subjects.ts";
import { created, endpoint, noContent, ok } from "../../lib/http/endpoint.ts";
import {
  Course,
  CourseCreate,
  CourseQuery,
  CourseStats,
  CourseSubject,
  CourseSubjects,
  CourseSummary,
  CourseUpdate,
} from "../../schema/api/courses.ts";
import { listOf, pathIds } from "../../schema/api/fields.ts";

const params = pathIds("course_id");

export const list = endpoint(
  {
    method: "get",
    path: "/",
    summary: "List the courses that the caller may see",
    ...publishedOr("course:read-unpublished"),
    query: CourseQuery,
    ...ok(listOf(CourseSummary), "Courses by id"),
  },
  ({ deps, actor, query }) => listCourses(deps.db, actor, query),
);

export const read = endpoint(
  {
    method: "get",
    path: "/{course_id}",
    summary: "Read a course",
    ...publishedOr("course:read-unpublished"),
    params,
    ...ok(Course, "The course in full"),
    fails: [404],
  },
  ({ deps, actor, params }) => getCourse(deps.db, actor, params.course_id),
);

export const create = endpoint(
  {
    method: "post",
    path: "/",
    summary: "Create a course in a university",
    ...may("course:write"),
    body: CourseCreate,
    ...created(Course, "The new course"),
    fails: [400, 403],
  },
  ({ deps, actor, body }) => createCourse(deps.db, actor, body),
);

export const update = endpoint(
  {
    method: "put",
    path: "/{course_id}",
    summary: "Change a course",
    ...may("course:write"),
    params,
    body: CourseUpdate,
    ...ok(Course, "The changed course"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) => updateCourse(deps.db, actor, params.course_id, body),
);

export const remove = endpoint(
  {
    method: "delete",
    path: "/{course_id}",
    summary: "Delete a course that nobody is enrolled in",
    ...may("course:delete"),
    params,
    ...noContent("Deleted, with its offerings, modules and content"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params }) => deleteCourse(deps.db, actor, params.course_id),
);

export const putSubjects = endpoint(
  {
    method: "put",
    path: "/{course_id}/subjects",
    summary: "Replace the subjects of a course",
    description:
      "The body is the whole set. The subject that is marked primary becomes the course's " +
      "`primary_subject_id`; a set without one leaves the course without a primary subject.",
    ...may("course:write"),
    params,
    body: CourseSubjects,
    ...ok(listOf(CourseSubject), "The subjects, by id"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) => replaceSubjects(deps.db, actor, params.course_id, body),
);

export const stats = endpoint(
  {
    method: "get",
    path: "/{course_id}/stats",
    summary: "Read how a course is doing",
    description: "For the staff of the course: teaching assistants and above.",
    ...may("course:read-unpublished"),
    params,
    ...ok(CourseStats, "Counts, means and rates"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) => courseStats(deps.db, actor, params.course_id),
);
