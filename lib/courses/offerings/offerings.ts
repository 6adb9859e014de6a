import { and, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import {
  endsTooEarly,
  isShortKey,
  keyIsMissing,
  keyIsTooShort,
  minEnrollmentKeyCharacters,
  type Offering,
  type OfferingCreate,
  type OfferingUpdate,
  periods,
} from "../../../schema/api/courses/offerings.ts";
import { courses } from "../../../schema/db/courses/courses.ts";
import { courseOfferings } from "../../../schema/db/courses/offerings.ts";
import { forbidden, invalidField, notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import type { PolicyAction } from "../../identity/rbac/policy.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { partialUpdateValues } from "../../platform/db/query/partial-update.ts";
import { typedSql } from "../../platform/db/query/rows.ts";
import { constraintViolationIn } from "../../platform/db/query/violations.ts";
import { offeringPermissionCondition, visibleCourseCondition } from "../course-permissions.ts";
import { explainCourseRefusal, getCourse, permittedCourseCondition } from "../courses.ts";
import { translateDeleteRefusal } from "../delete-refusals.ts";

export type OfferingPath = { course_id: number; offering_id: number };

const columns = getTableColumns(courseOfferings);

/** Only staff see the enrollment key. */
export const offeringColumns = (actor: Actor | undefined) => ({
  ...columns,
  enrollment_key: typedSql(
    z.string().nullable(),
  )`case when ${offeringPermissionCondition(actor, "enrollment:manage")} then ${courseOfferings.enrollment_key} end`,
});

/** Of a visible course, also a private offering; else 404. */
export async function getOffering(
  db: ReadDb,
  actor: Actor | undefined,
  path: OfferingPath,
): Promise<Offering> {
  const [offering] = await db
    .select(offeringColumns(actor))
    .from(courseOfferings)
    .innerJoin(courses, eq(courses.id, courseOfferings.course_id))
    .where(and(offeringPathCondition(path), visibleCourseCondition(actor)));
  if (offering) return offering;
  await getCourse(db, actor, path.course_id);
  throw notFound("Offering");
}

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
    where ${permittedCourseCondition(actor, "offering:create", courseId)}
    returning *`);
  const [offering] = await db.with(added).select().from(added).catch(throwBrokenRule);
  return offering ?? explainCourseRefusal(db, actor, courseId);
}

/**
 * Absent fields keep their values. A larger capacity or longer enrollment period admits people from the
 * waiting list in the same transaction. A smaller one removes no one. 422 for a new key that is too short.
 */
export async function updateOffering(
  db: Db,
  actor: Actor,
  path: OfferingPath,
  change: OfferingUpdate,
  now: Date,
): Promise<Offering> {
  const isWritable = permittedOfferingCondition(actor, "offering:write", path);
  const { enrollment_key: key } = change;
  const keepsShortKey = isShortKey(key) ? eq(courseOfferings.enrollment_key, key) : undefined;
  // Locks the seats before the offering, as other seat changes do.
  const held = sql`(
    select one.id from (
      select id, lock_course_seats_of_offering(id) from ${courseOfferings} where ${isWritable} offset 0
    ) as one)`;
  const changed = db.$with("changed").as(
    db
      .update(courseOfferings)
      .set(partialUpdateValues(change, courseOfferings))
      .where(and(isWritable, keepsShortKey, sql`${courseOfferings.id} = ${held}`))
      .returning(),
  );
  const filled = typedSql(
    z.null(),
  )`nullif(fill_seats_from_waitlist_and_notify(${changed.id}, ${now.toISOString()})::text, '')`;
  const [row] = await db
    .with(changed)
    .select({ offering: changed._.selectedFields, filled })
    .from(changed)
    .catch(throwBrokenRule);
  if (row) return row.offering;
  if (keepsShortKey && (await db.$count(courseOfferings, isWritable)) > 0)
    throw invalidField(["enrollment_key"], keyIsTooShort, "string_too_short", {
      min_length: minEnrollmentKeyCharacters,
    });
  return explainOfferingRefusal(db, actor, path);
}

/** 400 if it has enrollments or other data. */
export async function deleteOffering(db: Db, actor: Actor, path: OfferingPath): Promise<void> {
  const deleted = await db
    .delete(courseOfferings)
    .where(permittedOfferingCondition(actor, "offering:delete", path))
    .returning({ id: courseOfferings.id })
    .catch(translateDeleteRefusal(db, "Offering", offeringPathCondition(path)));
  if (deleted.length === 0) await explainOfferingRefusal(db, actor, path);
}

export const permittedOfferingCondition = (actor: Actor, action: PolicyAction, path: OfferingPath): SQL =>
  sql`(${offeringPathCondition(path)} and exists (
    select from ${courses} where ${and(eq(courses.id, path.course_id), offeringPermissionCondition(actor, action))}))`;

/** 404 if the offering is hidden, else 403. */
export async function explainOfferingRefusal(db: ReadDb, actor: Actor, path: OfferingPath): Promise<never> {
  await getOffering(db, actor, path);
  throw forbidden();
}

export const offeringPathCondition = ({ course_id, offering_id }: OfferingPath): SQL =>
  sql`(${eq(courseOfferings.id, offering_id)} and ${eq(courseOfferings.course_id, course_id)})`;

/** Translates a violated check into a 422: the database compares changed fields with unchanged ones. */
function throwBrokenRule(error: unknown): never {
  const broken = constraintViolationIn(error)?.constraint;
  if (broken === "course_offerings_enrollment_key_check")
    throw invalidField(["enrollment_key"], keyIsMissing);
  const period = periods.find(({ end }) => broken === `course_offerings_${end}_check`);
  throw period ? invalidField([period.end], endsTooEarly(period.start)) : error;
}
