import { and, eq, type SQL, sql } from "drizzle-orm";
import type { CourseCopy } from "../../schema/api/courses/copies.ts";
import type { Course } from "../../schema/api/courses/courses.ts";
import { courses } from "../../schema/db/courses/courses.ts";
import { badRequest } from "../errors.ts";
import type { Actor } from "../identity/auth/actor.ts";
import { permissionCondition } from "../identity/rbac/scopes.ts";
import type { Db } from "../platform/db/client.ts";
import { wireColumnsSql } from "../platform/db/query/json-rows.ts";
import { rowsOf } from "../platform/db/query/rows.ts";
import { constraintViolationIn } from "../platform/db/query/violations.ts";
import { coursePermissionCondition } from "./course-permissions.ts";
import {
  courseDetailColumns,
  explainCourseRefusal,
  StoredCourse,
  withIsoPrerequisiteDates,
} from "./courses.ts";
import { coursePictureFileIdSql } from "./pictures.ts";
import { ensureDrawnPoolsReadable, readableDrawnPoolsCondition } from "./question-pools.ts";

/** Teaching the course is not enough: a copy exposes its keys. */
export const copyableCourseCondition = (actor: Actor): SQL => sql`(
  ${permissionCondition(actor, "course:write", courses.university_id, courses.department_id)} and ${coursePermissionCondition(actor, "key:read")})`;

/**
 * Copies a course with its tree, content, questions, subjects and prerequisites in one statement; shifts
 * dates. 403 if the caller could not create it. 400 for a code in use, a quiz whose pool the caller may not
 * read, dates out of range, and `starts_on` without any date.
 */
export async function copyCourse(
  db: Db,
  actor: Actor,
  courseId: number,
  wanted: CourseCopy,
): Promise<Course> {
  const permitted = and(eq(courses.id, courseId), copyableCourseCondition(actor));
  const copied = sql`(
    select (copy.course).*, copy.prerequisites as copied_prerequisites
    from (select ${courses.id} from ${courses} where ${and(permitted, readableDrawnPoolsCondition(actor))} offset 0) as original
    cross join lateral copy_course(original.id, ${JSON.stringify(wanted)}::jsonb) as copy) as courses`;
  // The statement does not see rows that it inserts: picture and subjects are the original's.
  const columns = courseDetailColumns(actor, {
    picture: coursePictureFileIdSql(sql`${courseId}::int`),
    subjectsOf: sql`${courseId}::int`,
    prerequisites: sql`unnest(courses.copied_prerequisites)`,
  });
  const statement = sql`select ${wireColumnsSql(columns)} from ${copied}`;
  const [course] = await rowsOf(db, StoredCourse, statement).catch(rethrowCopyDateError);
  if (course) return withIsoPrerequisiteDates(course);
  await ensureDrawnPoolsReadable(db, actor, permitted);
  return explainCourseRefusal(db, actor, courseId);
}

/** Throws the 400 for dates that a copy cannot have. */
export function rethrowCopyDateError(error: unknown): never {
  const broken = constraintViolationIn(error)?.constraint;
  if (broken === "copies_have_dates") throw badRequest("no_date_to_move_from");
  if (broken === "copies_within_calendar") throw badRequest("dates_out_of_range");
  throw error;
}
