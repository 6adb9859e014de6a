import { and, sql } from "drizzle-orm";
import * as z from "zod";
import type {
  MyScormAttempt,
  MyScormAttemptsQuery,
  ScormAttempt,
  ScormAttemptsQuery,
} from "../../../schema/api/integrations/scorm.ts";
import { nameOnRecord, users } from "../../../schema/db/identity/users.ts";
import type { StoredScoState } from "../../../schema/db/integrations/scorm.ts";
import { momentForm } from "../../../schema/db/platform/columns.ts";
import {
  explainItemRefusal,
  type OfferingItemPath,
  permittedItemQuery,
} from "../../assessment/graded-items.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { offeringInTokenReachCondition } from "../../identity/auth/token-reach.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { csvText } from "../../platform/readers/csv.ts";
import { ListPage } from "../../platform/results/list-page.ts";

const attempt = {
  id: z.number(),
  course_offering_id: z.int(),
  content_item_id: z.int(),
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
  one.id::float8 as id, one.course_offering_id, one.content_item_id, one.attempt_number, ${momentForm(sql`one.started_at`)} as started_at,
  ${momentForm(sql`one.committed_at`)} as committed_at, ${momentForm(sql`one.completed_at`)} as completed_at,
  one.passed, one.score_scaled::float8 as score_scaled, one.total_seconds`;

/** Of the caller, newest first. */
export async function listMyScormAttempts(
  db: ReadDb,
  actor: Actor,
  { course_offering_id, content_item_id, skip, limit }: MyScormAttemptsQuery,
): Promise<ListPage<MyScormAttempt>> {
  const mine = and(
    sql`one.user_id = ${actor.id}`,
    offeringInTokenReachCondition(actor, sql`one.course_offering_id`),
    course_offering_id ? sql`one.course_offering_id = ${course_offering_id}` : undefined,
    content_item_id ? sql`one.content_item_id = ${content_item_id}` : undefined,
  );
  const rows = await rowsOf(
    db,
    Own,
    sql`
      select ${attemptColumns} from scorm_attempts as one where ${mine}
      order by one.started_at desc, one.id desc offset ${skip} limit ${limit + 1}`,
  );
  return pageOf(rows, limit);
}

/** One more row was read. */
const pageOf = <Item>(rows: Item[], limit: number): ListPage<Item> =>
  new ListPage(rows.slice(0, limit), { hasMore: rows.length > limit });

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
  path: OfferingItemPath,
  { user_id, skip, limit }: Omit<ScormAttemptsQuery, "format">,
): Promise<ListPage<ScormAttempt>> {
  const rows = await rowsOf(
    db,
    OfPerson,
    sql`
      select true as permitted, to_jsonb(listed) as attempt
      from (${permittedItemQuery(actor, "attempt:read", path, "package")}) as permitted
      left join lateral (
        select ${attemptColumns}, one.user_id, ${nameOnRecord} as full_name, ${users.email} as email,
               (select coalesce(jsonb_object_agg(sco.key, sco.value - 'cmi'), '{}') from jsonb_each(one.scos) as sco) as scos
        from scorm_attempts as one join users on ${users.id} = one.user_id
        where one.course_offering_id = permitted.offering_id and one.content_item_id = permitted.item_id
          and ${user_id === undefined ? sql`true` : sql`one.user_id = ${user_id}`}
        order by one.user_id, one.attempt_number offset ${skip} limit ${limit + 1}
      ) as listed on true`,
  );
  if (rows.length === 0) await explainItemRefusal(db, actor, path, "package");
  const listed = rows.flatMap(({ attempt: one }) => (one ? [{ ...one, scos: scoLines(one.scos) }] : []));
  return pageOf(listed, limit);
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
