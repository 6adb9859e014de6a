import { maybeSignedIn, signedIn } from "../../lib/auth/guards.ts";
import { createCourse, getCourse, listCourses, updateCourse } from "../../lib/courses/courses.ts";
import { created, endpoint, ok } from "../../lib/http/endpoint.ts";
import { Course, CourseCreate, CourseQuery, CourseSummary, CourseUpdate } from "../../schema/api/courses.ts";
import { listOf, pathIds } from "../../schema/api/fields.ts";

const params = pathIds("course_id");

export const list = endpoint(
  {
    method: "get",
    path: "/",
    summary: "List the courses that the caller may see",
    ...maybeSignedIn,
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
    ...maybeSignedIn,
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
    ...signedIn,
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
    ...signedIn,
    params,
    body: CourseUpdate,
    ...ok(Course, "The changed course"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) => updateCourse(deps.db, actor, params.course_id, body),
);
