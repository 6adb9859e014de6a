import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type {
  GradeFinalization,
  GradeFinalizationResult,
  GradeRelease,
  GradeReleaseResult,
  GradeReopening,
  GradeReopeningResult,
} from "../../schema/api/grades.ts";
import type { Actor } from "../auth/actor.ts";
import { reachedOffering, refuseOffering } from "../courses/reached-offering.ts";
import type { Db } from "../db/client.ts";
import { rowsOf } from "../db/rows.ts";
import { requestFacts } from "../request-record.ts";

/** People whose grades are made final in one statement. */
const batch = 500;

const Finalized = z.object({ finalized: z.int(), passed: z.int(), awaiting: z.int() });

/**
 * Makes the grades of an offering final, of these people or of everyone who has or had a place; what is final already
 * stays, and so does the caller's own. A class of more than 500 takes a statement for each 500. 404, or 403 for who may
 * not.
 */
export async function finalizeGrades(
  db: Db,
  actor: Actor,
  offeringId: number,
  { user_ids, reason = null }: GradeFinalization,
  now: Date,
): Promise<GradeFinalizationResult> {
  const total = { finalized: 0, passed: 0, awaiting: 0 };
  for (let last = batch; last === batch; ) {
    const [done] = await rowsOf(
      db,
      Finalized,
      sql`
        with reached as materialized (${reachedOffering(actor, "grade:finalize", offeringId)}),
        finalized as materialized (
          select one.* from reached cross join lateral finalize_grades(reached.offering_id, ${listOrAll(user_ids)},
            ${batch}, ${actor.id}, ${reason}, ${now.toISOString()}, ${requestFacts()}::jsonb) as one
        )
        select count(finalized.user_id)::int as finalized, (count(*) filter (where passed))::int as passed,
               (count(*) filter (where awaiting > 0))::int as awaiting
        from reached left join finalized on true group by reached.offering_id`,
    );
    if (!done) return refuseOffering(db, actor, offeringId);
    total.finalized += done.finalized;
    total.passed += done.passed;
    total.awaiting += done.awaiting;
    last = done.finalized;
  }
  return total;
}

const Reopened = z.object({ reopened: z.int() });

/** Opens final grades again, so that they can be changed. 404, or 403 for who may not. */
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
      with reached as materialized (${reachedOffering(actor, "grade:finalize", offeringId)}),
      reopened as materialized (
        select one.* from reached cross join lateral reopen_grades(reached.offering_id, ${listOrAll(user_ids)},
          ${actor.id}, ${reason}, ${now.toISOString()}, ${requestFacts()}::jsonb) as one (user_id)
      )
      select count(reopened.user_id)::int as reopened
      from reached left join reopened on true group by reached.offering_id`,
  );
  return done ?? refuseOffering(db, actor, offeringId);
}

const Released = z.object({ changed: z.int() });

/** Lets learners see their grades in these items, or in all, or no more. 404, or 403 for who may not. */
export async function releaseGrades(
  db: Db,
  actor: Actor,
  offeringId: number,
  { content_item_ids, released }: GradeRelease,
  now: Date,
): Promise<GradeReleaseResult> {
  const [done] = await rowsOf(
    db,
    Released,
    sql`
      with reached as materialized (${reachedOffering(actor, "grade:finalize", offeringId)})
      select release_grades(reached.offering_id, ${listOrAll(content_item_ids)}, ${released}, ${actor.id},
        ${now.toISOString()}, ${requestFacts()}::jsonb) as changed
      from reached`,
  );
  return done ?? refuseOffering(db, actor, offeringId);
}

const listOrAll = (ids: readonly number[] | null | undefined): SQL => sql`${sql.param(ids ?? null)}::int[]`;
