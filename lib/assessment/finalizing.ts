import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type {
  GradeFinalization,
  GradeFinalizationResult,
  GradeRelease,
  GradeReleaseResult,
  GradeReopening,
  GradeReopeningResult,
} from "../../schema/api/assessment/grades.ts";
import { explainOfferingRefusal, permittedOfferingQuery } from "../courses/permitted-offering.ts";
import { badRequest } from "../errors.ts";
import type { Actor } from "../identity/auth/actor.ts";
import { requestAuditJson } from "../platform/async/request-context.ts";
import type { Db } from "../platform/db/client.ts";
import { rowsOf } from "../platform/db/query/rows.ts";
import { constraintViolationIn } from "../platform/db/query/violations.ts";
import { type AttemptGrade, calculatePendingGrades, gradeClosedAttempts } from "./grade-closed-attempts.ts";

/** People finalized in one statement. */
const batch = 500;

/** People named in a response. */
const maxPeopleNamedInResponse = 1000;

/** How long a request grades expired attempts. The schedule grades the rest. */
const gradingMs = 10_000;

/**
 * Finalizes the grades of these people, or of all who have or had a seat. Skips final grades and the caller's
 * own. Closes and grades expired attempts first. Lists people who still await a grade, and skips them unless
 * included. A dry run writes nothing. Classes over 500 take a statement per 500, and more for grading. 404,
 * or 403 without permission.
 */
export async function finalizeGrades(
  db: Db,
  actor: Actor,
  offeringId: number,
  finalization: GradeFinalization,
  now: Date,
): Promise<GradeFinalizationResult> {
  const ask = (one: Batch) => finalizeBatch(db, actor, offeringId, { ...finalization, ...one }, now);
  const signal = AbortSignal.timeout(gradingMs);
  const judged: Judged[] = [];
  for (let after = 0; ; ) {
    const looked = await ask({ after });
    judged.push(...looked);
    const gradable = looked.filter(({ outcome }) => outcome === "gradable").map(({ user_id }) => user_id);
    if (gradable.length > 0) {
      const ofThem = sql`course_offering_id = ${offeringId} and user_id = any (${sql.param(gradable)}::int[])`;
      const grades = finalization.dry_run
        ? await calculatePendingGrades(db, now, ofThem, signal)
        : await storeWaiting(db, now, ofThem, signal);
      judged.push(...(await ask({ user_ids: gradable, after: 0, grades })));
    }
    after = looked.at(-1)?.user_id ?? 0;
    if (looked.length < batch) return totalOf(judged);
  }
}

/**
 * Grades waiting attempts. If one fails, its person still awaits the grade, and the schedule logs the reason.
 */
async function storeWaiting(db: Db, now: Date, among: SQL, signal: AbortSignal): Promise<[]> {
  await gradeClosedAttempts(db, now, among, signal).catch(() => undefined);
  return [];
}

/** People after this id; with `grades`, people whose possible grading is done. */
type Batch = {
  user_ids?: readonly number[] | null | undefined;
  after: number;
  grades?: readonly AttemptGrade[];
};

const Judged = z.object({
  user_id: z.int(),
  outcome: z.enum(["final", "awaiting", "gradable"]),
  passed: z.boolean(),
  awaited: z.array(z.int()),
});
type Judged = z.output<typeof Judged>;

/** Null: the offering exists, and none of its grades is open. */
const Row = z.union([
  Judged,
  z.object({ user_id: z.null(), outcome: z.null(), passed: z.null(), awaited: z.null() }),
]);

async function finalizeBatch(
  db: Db,
  actor: Actor,
  offeringId: number,
  { user_ids, reason, include_awaiting, dry_run, after, grades }: Omit<GradeFinalization, "user_ids"> & Batch,
  now: Date,
): Promise<Judged[]> {
  const wanted = {
    ...{ people: user_ids, after, most: batch, with_awaiting: include_awaiting, grades },
    ...{ dry: dry_run, why: reason },
  };
  const statement = sql`
      with permitted as materialized (${permittedOfferingQuery(actor, "grade:finalize", offeringId)})
      select one.* from permitted left join lateral finalize_course_grades(
        permitted.offering_id, ${actor.id}, ${JSON.stringify(wanted)}::jsonb, ${now.toISOString()}, ${requestAuditJson()}::jsonb
      ) as one on true
      order by one.user_id`;
  const rows = await rowsOf(db, Row, statement).catch((error) => {
    throw constraintViolationIn(error)?.constraint === "course_grades_after_release"
      ? badRequest("anonymous_unreleased")
      : error;
  });
  if (rows.length === 0) return explainOfferingRefusal(db, actor, offeringId);
  return rows.flatMap((row) => (row.user_id === null ? [] : [row]));
}

function totalOf(judged: readonly Judged[]): GradeFinalizationResult {
  const decided = judged.filter(({ outcome }) => outcome !== "gradable");
  const final = decided.filter(({ outcome }) => outcome === "final");
  const awaiting = decided.filter(({ awaited }) => awaited.length > 0);
  return {
    finalized: final.length,
    passed: final.filter(({ passed }) => passed).length,
    awaiting: awaiting.length,
    people: awaiting
      .toSorted((one, other) => one.user_id - other.user_id)
      .slice(0, maxPeopleNamedInResponse)
      .map(({ user_id, awaited }) => ({ user_id, items: awaited })),
  };
}

const Reopened = z.object({ reopened: z.int() });

/** Reopens final grades for changes. 404, or 403 without permission. */
export async function reopenGrades(
  db: Db,
  actor: Actor,
  offeringId: number,
  { user_ids, reason }: GradeReopening,
  now: Date,
): Promise<GradeReopeningResult> {
  const [done] = await rowsOf(
    db,
    Reopened,
    sql`
      with permitted as materialized (${permittedOfferingQuery(actor, "grade:finalize", offeringId)}),
      reopened as materialized (
        select one.* from permitted cross join lateral reopen_final_course_grades(permitted.offering_id, ${listOrAll(user_ids)},
          ${actor.id}, ${reason}, ${now.toISOString()}, ${requestAuditJson()}::jsonb) as one (user_id)
      )
      select count(reopened.user_id)::int as reopened
      from permitted left join reopened on true group by permitted.offering_id`,
  );
  return done ?? explainOfferingRefusal(db, actor, offeringId);
}

const Released = z.object({ changed: z.int() });

/**
 * Shows learners their grades in these items, or in all, or hides them again. 404, 403 without permission,
 * 400 before marks in the items are agreed upon.
 */
export async function releaseOrHideGrades(
  db: Db,
  actor: Actor,
  offeringId: number,
  { content_item_ids, released }: GradeRelease,
  now: Date,
): Promise<GradeReleaseResult> {
  const statement = sql`
      with permitted as materialized (${permittedOfferingQuery(actor, "grade:finalize", offeringId)})
      select release_or_hide_item_grades(permitted.offering_id, ${listOrAll(content_item_ids)}, ${released}, ${actor.id},
        ${now.toISOString()}, ${requestAuditJson()}::jsonb) as changed
      from permitted`;
  const [done] = await rowsOf(db, Released, statement).catch((error) => {
    throw constraintViolationIn(error)?.constraint === "grade_releases_after_agreement"
      ? badRequest("marks_not_agreed")
      : error;
  });
  return done ?? explainOfferingRefusal(db, actor, offeringId);
}

const listOrAll = (ids: readonly number[] | null | undefined): SQL => sql`${sql.param(ids ?? null)}::int[]`;
