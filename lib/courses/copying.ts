import { and, eq, type SQL, sql } from "drizzle-orm";
import type { CourseCopy } from "../../schema/api/copies.ts";
import type { Course } from "../../schema/api/courses.ts";
import { courses } from "../../schema/db/courses.ts";
import type { Actor } from "../auth/actor.ts";
import type { Db } from "../db/client.ts";
import { wireColumns } from "../db/query/json-rows.ts";
import { rowsOf } from "../db/query/rows.ts";
import { refusalIn } from "../db/query/violations.ts";
import { badRequest } from "../errors.ts";
import { mayAt } from "../rbac/scopes.ts";
import { detailedFor, explainCourseRefusal, StoredCourse, withInstants } from "./courses.ts";
import { pictureOf } from "./pictures.ts";
import { ensurePoolsReadable, poolsReadable } from "./question-pools.ts";
import { courseAllows } from "./visibility.ts";

/**
 * Rows of `courses` of which the caller may put a copy beside them: to teach one of them is not enough, and in a copy
 * they read its keys.
 */
export const mayAddBeside = (actor: Actor): SQL => sql`(
  ${mayAt(actor, "course:write", courses.university_id, courses.department_id)} and ${courseAllows(actor, "key:read")})`;

/**
 * Copies a course with its tree, content, questions, subjects and prerequisites, its dates moved, into the same
 * university, in one statement. 403 for whoever could not create it there, 400 for a code that is taken, for a quiz that
 * draws from a pool which the caller may not read, for dates that leave the calendar, and for `starts_on` where there is
 * no date.
 */
export async function copyCourse(
  db: Db,
  actor: Actor,
  courseId: number,
  wanted: CourseCopy,
): Promise<Course> {
  const permitted = and(eq(courses.id, courseId), mayAddBeside(actor));
  const copied = sql`(
    select (copy.course).*, copy.prerequisites as copied_prerequisites
    from (select ${courses.id} from ${courses} where ${and(permitted, poolsReadable(actor))} offset 0) as original
    cross join lateral copy_course(original.id, ${JSON.stringify(wanted)}::jsonb) as copy) as courses`;
  // The rows of the copy are seen by no part of the statement that makes them: picture and subjects are read from the original.
  const columns = detailedFor(actor, {
    picture: pictureOf(sql`${courseId}::int`),
    subjectsOf: sql`${courseId}::int`,
    prerequisites: sql`unnest(courses.copied_prerequisites)`,
  });
  const statement = sql`select ${wireColumns(columns)} from ${copied}`;
  const [course] = await rowsOf(db, StoredCourse, statement).catch(throwImpossibleDates);
  if (course) return withInstants(course);
  await ensurePoolsReadable(db, actor, permitted);
  return explainCourseRefusal(db, actor, courseId);
}

/** Throws the 400 for dates that a copy cannot have. */
export function throwImpossibleDates(error: unknown): never {
  const broken = refusalIn(error)?.constraint;
  if (broken === "copies_have_dates") throw badRequest("no_date_to_move_from");
  if (broken === "copies_within_calendar") throw badRequest("dates_out_of_range");
  throw error;
}
