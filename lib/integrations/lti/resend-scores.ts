import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { GradeSending } from "../../../schema/api/assessment/grades.ts";
import { explainOfferingRefusal, permittedOfferingQuery } from "../../courses/permitted-offering.ts";
import { badRequest } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";

const hasColumns = (offering: SQL): SQL =>
  sql`exists (select from lti_columns where lti_columns.course_offering_id = ${offering})`;

const Marked = z.object({ is_marked: z.boolean() });

/**
 * For these people, or everyone. 404, or 403 for callers who may not grade there; 400 if no LMS has a column
 * for the offering.
 */
export async function requestScoreResend(
  db: Db,
  actor: Actor,
  offeringId: number,
  { user_ids }: GradeSending,
): Promise<void> {
  const marks = user_ids
    ? sql`
        select permitted.offering_id, seat.user_id, true
        from permitted join enrollments as seat on seat.course_offering_id = permitted.offering_id and seat.is_admitted
        where seat.user_id = any (${sql.param(user_ids)}::int[])`
    : sql`
        select permitted.offering_id, null::int, true from permitted
        where not exists (
          select from lti_score_marks
          where course_offering_id = permitted.offering_id and user_id is null and content_item_id is null and is_forced
            and after_person_id = 0)`;
  const [done] = await rowsOf(
    db,
    Marked,
    sql`
      with permitted as materialized (${permittedOfferingQuery(actor, "grade:write", offeringId)}),
      marked as (
        insert into lti_score_marks (course_offering_id, user_id, is_forced)
        select * from (${marks}) as mark where ${hasColumns(sql`mark.offering_id`)}
      )
      select ${hasColumns(sql`permitted.offering_id`)} as is_marked from permitted`,
  );
  if (!done) return explainOfferingRefusal(db, actor, offeringId);
  if (!done.is_marked) throw badRequest("no_grade_column");
}
