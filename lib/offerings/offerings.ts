import { and, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import {
  endsTooEarly,
  isShortKey,
  keyIsMissing,
  keyIsTooShort,
  type Offering,
  type OfferingCreate,
  type OfferingUpdate,
  periods,
  shortestEnrollmentKey,
} from "../../schema/api/offerings.ts";
import { courses } from "../../schema/db/courses.ts";
import { courseOfferings } from "../../schema/db/offerings.ts";
import type { Actor } from "../auth/actor.ts";
import { courseOpenTo, explainCourseRefusal, getCourse } from "../courses/courses.ts";
import { translateDeleteRefusal } from "../courses/in-use.ts";
import { courseVisibleTo, offeringAllows } from "../courses/visibility.ts";
import type { Db, ReadDb } from "../db/client.ts";
import { partialUpdate } from "../db/query/partial-update.ts";
import { valueAs } from "../db/query/rows.ts";
import { refusalIn } from "../db/query/violations.ts";
import { forbidden, invalidField, notFound } from "../errors.ts";
import type { Action } from "../rbac/policy.ts";

/** An offering is named by its course and its own id. */
export type OfferingPath = { course_id: number; offering_id: number };

const columns = getTableColumns(courseOfferings);

/** An offering as the caller reads it: its key is for the course's staff alone. */
export const shownTo = (actor: Actor | undefined) => ({
  ...columns,
  enrollment_key: valueAs(
    z.string().nullable(),
  )`case when ${offeringAllows(actor, "enrollment:manage")} then ${courseOfferings.enrollment_key} end`,
});

/** An offering of a course that the caller can see, a private one too; else 404. */
export async function getOffering(
  db: ReadDb,
  actor: Actor | undefined,
  path: OfferingPath,
): Promise<Offering> {
  const [offering] = await db
    .select(shownTo(actor))
    .from(courseOfferings)
    .innerJoin(courses, eq(courses.id, courseOfferings.course_id))
    .where(and(isAt(path), courseVisibleTo(actor)));
  if (offering) return offering;
  await getCourse(db, actor, path.course_id);
  throw notFound("Offering");
}

/** Creates an offering of a course, in the course's university. */
export async function createOffering(
  db: Db,
  actor: Actor,
  courseId: number,
  input: OfferingCreate,
): Promise<Offering> {
  const added = db.$with("added", columns).as(sql`
    insert into course_offerings (course_id, university_id, term_id, term_name, starts_at, ends_at,
                                  enrollment_start, enrollment_end, visibility, capacity,
                                  enrollment_mode, enrollment_key, completion_rule)
    select id, university_id, term_id, term_name, starts_at, ends_at,
           enrollment_start, enrollment_end, lower(coalesce(visibility, 'private')), capacity,
           lower(coalesce(enrollment_mode, 'open')), enrollment_key, lower(coalesce(completion_rule, 'all_items'))
    from courses, jsonb_to_record(${JSON.stringify(input)}) as input (
      term_id int, term_name text, starts_at timestamptz, ends_at timestamptz,
      enrollment_start timestamptz, enrollment_end timestamptz, visibility text, capacity int,
      enrollment_mode text, enrollment_key text, completion_rule text)
    where ${courseOpenTo(actor, "offering:create", courseId)}
    returning *`);
  const [offering] = await db.with(added).select().from(added).catch(throwBrokenRule);
  return offering ?? explainCourseRefusal(db, actor, courseId);
}

/**
 * Changes an offering; absent fields keep their values. Seats that a larger capacity brings, or a longer enrollment,
 * go to those who wait, in the same transaction; a smaller one takes no seat away. 422 for a short key, unless it is the one
 * that the offering has.
 */
export async function updateOffering(
  db: Db,
  actor: Actor,
  path: OfferingPath,
  change: OfferingUpdate,
  now: Date,
): Promise<Offering> {
  const isWritable = offeringOpenTo(actor, "offering:write", path);
  const { enrollment_key: key } = change;
  const keepsShortKey = isShortKey(key) ? eq(courseOfferings.enrollment_key, key) : undefined;
  // Who gives seats waits for others who do before the offering is locked.
  const held = sql`(
    select one.id from (
      select id, lock_course_key_shared(id) from ${courseOfferings} where ${isWritable} offset 0
    ) as one)`;
  const changed = db.$with("changed").as(
    db
      .update(courseOfferings)
      .set(partialUpdate(change, courseOfferings))
      .where(and(isWritable, keepsShortKey, sql`${courseOfferings.id} = ${held}`))
      .returning(),
  );
  const filled = valueAs(z.null())`nullif(fill_seats(${changed.id}, ${now.toISOString()})::text, '')`;
  const [row] = await db
    .with(changed)
    .select({ offering: changed._.selectedFields, filled })
    .from(changed)
    .catch(throwBrokenRule);
  if (row) return row.offering;
  if (keepsShortKey && (await db.$count(courseOfferings, isWritable)) > 0)
    throw invalidField(["enrollment_key"], keyIsTooShort, "string_too_short", {
      min_length: shortestEnrollmentKey,
    });
  return explainOfferingRefusal(db, actor, path);
}

/** Deletes an offering; 400 when anyone is enrolled in it, or has left something there. */
export async function deleteOffering(db: Db, actor: Actor, path: OfferingPath): Promise<void> {
  const deleted = await db
    .delete(courseOfferings)
    .where(offeringOpenTo(actor, "offering:delete", path))
    .returning({ id: courseOfferings.id })
    .catch(translateDeleteRefusal(db, "Offering", isAt(path)));
  if (deleted.length === 0) await explainOfferingRefusal(db, actor, path);
}

/** The condition under which a statement reaches the offering: the caller may do `action` to it. */
export const offeringOpenTo = (actor: Actor, action: Action, path: OfferingPath): SQL =>
  sql`(${isAt(path)} and exists (
    select from ${courses} where ${and(eq(courses.id, path.course_id), offeringAllows(actor, action))}))`;

/** Why a statement did not reach the offering: 404 when the caller cannot see it, else 403. */
export async function explainOfferingRefusal(db: ReadDb, actor: Actor, path: OfferingPath): Promise<never> {
  await getOffering(db, actor, path);
  throw forbidden();
}

/** The offering with that id, of that course. */
export const isAt = ({ course_id, offering_id }: OfferingPath): SQL =>
  sql`(${eq(courseOfferings.id, offering_id)} and ${eq(courseOfferings.course_id, course_id)})`;

/** The database compares what a change does not name with what it does: what goes not together is a 422. */
function throwBrokenRule(error: unknown): never {
  const broken = refusalIn(error)?.constraint;
  if (broken === "course_offerings_enrollment_key_check")
    throw invalidField(["enrollment_key"], keyIsMissing);
  const period = periods.find(({ end }) => broken === `course_offerings_${end}_check`);
  throw period ? invalidField([period.end], endsTooEarly(period.start)) : error;
}
