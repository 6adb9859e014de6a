import { sql } from "drizzle-orm";
import * as z from "zod";
import type { GradeSending } from "../../schema/api/grades.ts";
import type { Actor } from "../auth/actor.ts";
import { explainOfferingRefusal, permittedOffering } from "../courses/permitted-offering.ts";
import type { Db } from "../db/client.ts";
import { rowsOf } from "../db/query/rows.ts";
import { badRequest } from "../errors.ts";

const Marked = z.object({ is_marked: z.boolean() });

/**
 * Has the grades of these people, or of everyone, sent to the LMS again. 404, or 403 for who may not grade there; 400 where
 * no LMS has a column for anything of the offering.
 */
export async function resendScores(
  db: Db,
  actor: Actor,
  offeringId: number,
  { user_ids }: GradeSending,
): Promise<void> {
  const people = user_ids ? sql`${sql.param(user_ids)}::int[]` : sql`null::int[]`;
  const [done] = await rowsOf(
    db,
    Marked,
    sql`
      with permitted as materialized (${permittedOffering(actor, "grade:write", offeringId)})
      select resend_lti_scores(permitted.offering_id, ${people}) as is_marked from permitted`,
  );
  if (!done) return explainOfferingRefusal(db, actor, offeringId);
  if (!done.is_marked) throw badRequest("no_grade_column");
}
