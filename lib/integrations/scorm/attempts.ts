import { sql } from "drizzle-orm";
import * as z from "zod";
import type {
  MyScormAttempt,
  ScormAttempt,
  ScormAttemptsQuery,
} from "../../../schema/api/integrations/scorm.ts";
import { nameOnRecord, users } from "../../../schema/db/identity/users.ts";
import type { StoredScoState } from "../../../schema/db/integrations/scorm.ts";
import { momentForm } from "../../../schema/db/platform/columns.ts";
import { explainItemRefusal, type ItemPath, permittedItem } from "../../assessment/graded-items.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { isOfferingInTokenReach } from "../../identity/auth/token-reach.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { csvText } from "../../platform/readers/csv.ts";

const attempt = {
  id: z.number(),
  attempt_number: z.int(),
  started_at: z.string(),
  committed_at: z.string().nullable(),
  completed_at: z.string().nullable(),
  passed: z.boolean().nullable(),
  score_scaled: z.number().nullable(),
  total_seconds: z.int(),
};

const Own = z.object(attempt);

const attemptColumns = sql`
  one.id::float8 as id, one.attempt_number, ${momentForm(sql`one.started_at`)} as started_at,
  ${momentForm(sql`one.committed_at`)} as committed_at, ${momentForm(sql`one.completed_at`)} as completed_at,
  one.passed, one.score_scaled::float8 as score_scaled, one.total_seconds`;

/** Of the caller at one item, newest first. */
export const listMyScormAttempts = (
  db: ReadDb,
  actor: Actor,
  { offering_id, content_item_id }: ItemPath,
): Promise<MyScormAttempt[]> =>
  rowsOf(
    db,
    Own,
    sql`
      select ${attemptColumns} from scorm_attempts as one
      where one.user_id = ${actor.id} and one.course_offering_id = ${offering_id}
        and one.content_item_id = ${content_item_id}
        and ${isOfferingInTokenReach(actor, sql`one.course_offering_id`) ?? sql`true`}
      order by one.attempt_number desc limit 1000`,
  );

const OfPerson = z.object({
  permitted: z.boolean(),
  attempt: z
    .object({
      ...attempt,
      user_id: z.int(),
      full_name: z.string().nullable(),
      email: z.string().nullable(),
      scos: z.record(z.string(), z.any()),
    })
    .nullable(),
});

/** By person and number. 404 if the caller cannot see the item, 403 if they are not its staff. */
export async function listScormAttempts(
  db: ReadDb,
  actor: Actor,
  path: ItemPath,
  { user_id, skip, limit }: Omit<ScormAttemptsQuery, "format">,
): Promise<ScormAttempt[]> {
  const rows = await rowsOf(
    db,
    OfPerson,
    sql`
      select true as permitted, to_jsonb(listed) as attempt
      from (${permittedItem(actor, "attempt:read", path, "package")}) as permitted
      left join lateral (
        select ${attemptColumns}, one.user_id, ${nameOnRecord} as full_name, ${users.email} as email,
               (select coalesce(jsonb_object_agg(sco.key, sco.value - 'cmi'), '{}') from jsonb_each(one.scos) as sco) as scos
        from scorm_attempts as one join users on ${users.id} = one.user_id
        where one.course_offering_id = permitted.offering_id and one.content_item_id = permitted.item_id
          and ${user_id === undefined ? sql`true` : sql`one.user_id = ${user_id}`}
        order by one.user_id, one.attempt_number offset ${skip} limit ${limit}
      ) as listed on true`,
  );
  if (rows.length === 0) await explainItemRefusal(db, actor, path, "package");
  return rows.flatMap(({ attempt: one }) => (one ? [{ ...one, scos: scoLines(one.scos) }] : []));
}

const scoLines = (scos: Record<string, Omit<StoredScoState, "cmi">>): ScormAttempt["scos"] =>
  Object.entries(scos).map(([id, { completed = false, passed = null, scaled = null, ...state }]) => ({
    ...{ id, completed, passed, scaled },
    seconds: state.seconds + state.session_seconds,
  }));

const heading = [
  ...["user_id", "full_name", "email", "attempt_number", "started_at", "committed_at", "completed_at"],
  ...["passed", "score_scaled", "total_seconds"],
] as const;

/** A line for each attempt. */
export const scormAttemptsCsv = (attempts: readonly ScormAttempt[]): string =>
  csvText([[...heading], ...attempts.map((one) => heading.map((name) => one[name]))]);
