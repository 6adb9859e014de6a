import { sql } from "drizzle-orm";
import * as z from "zod";
import { GradingScheme, type GradingSchemeUpdate } from "../../schema/api/assessment/grades.ts";
import { visibleCourseCondition } from "../courses/course-permissions.ts";
import { explainOfferingRefusal, permittedOfferingQuery } from "../courses/permitted-offering.ts";
import { badRequest, fieldValueMessagePlaceholders, notFound, PreconditionFailed } from "../errors.ts";
import type { Actor } from "../identity/auth/actor.ts";
import { requestAuditJson } from "../platform/async/request-context.ts";
import type { Db, ReadDb } from "../platform/db/client.ts";
import { rowsOf } from "../platform/db/query/rows.ts";
import { type ExpectedVersions, expectedVersionsSql } from "../platform/db/query/versions.ts";

/** 404 if the caller cannot see the offering. */
export async function getScheme(db: ReadDb, actor: Actor, offeringId: number): Promise<GradingScheme> {
  const [scheme] = await rowsOf(
    db,
    GradingScheme,
    sql`
      select course_offerings.id as course_offering_id, own.is_graded, own.letter_scale,
             own.passing_percent::float8, own.groups, upper(own.release_mode) as release_mode, own.drop_lowest,
             own.late_percent_per_day::float8, own.max_late_days, own.version
      from course_offerings join courses on courses.id = course_offerings.course_id
      join effective_schemes as own on own.course_offering_id = course_offerings.id
      where course_offerings.id = ${offeringId} and ${visibleCourseCondition(actor)}`,
  );
  if (!scheme) throw notFound("Offering");
  return scheme;
}

const Outcome = z.object({
  missing: z.int().nullable(),
  is_other: z.boolean(),
  scheme: GradingScheme.omit({ is_graded: true }).nullable(),
});

/**
 * Absent fields keep their values. From then on, passing completes the offering. Final grades stay. 404 or
 * 403, 400 for an item or group that the course does not have, 412 on a version conflict.
 */
export async function setScheme(
  db: Db,
  actor: Actor,
  offeringId: number,
  { release_mode, ...change }: GradingSchemeUpdate,
  now: Date,
  expected?: ExpectedVersions,
): Promise<GradingScheme> {
  const given = JSON.stringify({ ...change, release_mode: release_mode?.toLowerCase() });
  const [outcome] = await rowsOf(
    db,
    Outcome,
    sql`
      with permitted as materialized (${permittedOfferingQuery(actor, "grade:finalize", offeringId)})
      select done.missing, done.is_other, case when (done.scheme).course_offering_id is not null then json_build_object(
        'course_offering_id', (done.scheme).course_offering_id, 'letter_scale', (done.scheme).letter_scale,
        'passing_percent', (done.scheme).passing_percent::float8, 'groups', (done.scheme).groups,
        'release_mode', upper((done.scheme).release_mode), 'drop_lowest', (done.scheme).drop_lowest,
        'late_percent_per_day', (done.scheme).late_percent_per_day::float8,
        'max_late_days', (done.scheme).max_late_days, 'version', (done.scheme).version) end as scheme
      from permitted cross join lateral set_grading_scheme(
        permitted.offering_id, ${given}::jsonb, ${actor.id}, ${now.toISOString()}, ${requestAuditJson()}::jsonb,
        ${expectedVersionsSql(expected)}) as done`,
  );
  if (!outcome) return explainOfferingRefusal(db, actor, offeringId);
  if (outcome.missing === null && outcome.is_other)
    throw new PreconditionFailed(await getScheme(db, actor, offeringId));
  if (!outcome.scheme)
    throw badRequest(
      "does_not_exist_in_course",
      fieldValueMessagePlaceholders("Grade group", "content_item_id", outcome.missing),
    );
  return { ...outcome.scheme, is_graded: true };
}

const Removal = z.object({ refusal: z.enum(["none", "changed", "final"]).nullable() });

/**
 * Completion then needs no grade. 404 if none is set, 400 while a grade is final, otherwise errors as
 * `setScheme`.
 */
export async function removeScheme(
  db: Db,
  actor: Actor,
  offeringId: number,
  expected?: ExpectedVersions,
): Promise<void> {
  const [removal] = await rowsOf(
    db,
    Removal,
    sql`
      with permitted as materialized (${permittedOfferingQuery(actor, "grade:finalize", offeringId)})
      select remove_grading_scheme(
        permitted.offering_id, ${actor.id}, ${requestAuditJson()}::jsonb, ${expectedVersionsSql(expected)}) as refusal
      from permitted`,
  );
  if (!removal) return explainOfferingRefusal(db, actor, offeringId);
  if (removal.refusal === "none") throw notFound("Grading scheme");
  if (removal.refusal === "changed") throw new PreconditionFailed(await getScheme(db, actor, offeringId));
  if (removal.refusal === "final") throw badRequest("grades_are_final");
}
