import { and, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import * as z from "zod";
import type { TrialCase, TrialCaseQuery, TrialPath } from "../../../schema/api/tutor/trials.ts";
import { trialCases } from "../../../schema/db/tutor/trials.ts";
import type { TrialCheck } from "../../../schema/enums.ts";
import { notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { ascending, createPageQuery, RowWithPageKey } from "../../platform/db/query/page.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import type { ListPage } from "../../platform/results/list-page.ts";
import { editableTrialWithIdCondition } from "./editable-trials.ts";
import { trialVotesJsonSql } from "./votes.ts";

const CaseRow = RowWithPageKey.extend({ one: z.custom<TrialCase>() });

const cases = alias(trialCases, "cases");

/** Most visited first; 404 for a trial that the caller may not see. */
export async function listTrialCases(
  db: ReadDb,
  actor: Actor,
  path: TrialPath,
  { failed_check, has_fault, verdict, ...query }: TrialCaseQuery,
): Promise<ListPage<TrialCase>> {
  const page = createPageQuery(query, [ascending(cases.id)]);
  const wanted = and(
    sql`cases.trial_id = trial.id`,
    failed_check && sql`cases.checks ->> ${failed_check.toLowerCase() as TrialCheck} is not null`,
    has_fault === undefined
      ? undefined
      : sql`cases.checks is not null and ${hasFailedCheckCondition(sql`cases.checks`)} = ${has_fault}`,
    verdict && sql`cases.verdict = ${verdict.toLowerCase()}`,
  );
  const [found] = await rowsOf(
    db,
    z.object({ pairs: z.array(CaseRow) }),
    sql`
    select coalesce((select json_agg(json_build_object('one', one, 'page_key', page_key) order by place) from (
      select ${shownCase(actor)} as one, ${page.keyColumn}, row_number() over (order by cases.id) as place
      from trial_cases as cases ${page.tail(wanted)}) as page), '[]') as pairs
    from trials as trial where ${editableTrialWithIdCondition(actor, path)}`,
  );
  if (!found) throw notFound("Trial");
  return page.part(found.pairs).map((row) => row.one);
}

export const hasFailedCheckCondition = (checks: SQL): SQL => sql`exists (
  select from jsonb_each(${checks}) as told where told.value <> 'null')`;

const shownCase = (actor: Actor): SQL => sql`json_build_object(
  'id', cases.id, 'content_item_id', cases.content_item_id,
  'content_item_title', (select title from content_items where id = cases.content_item_id), 'node_id', cases.node_id, 'visits', cases.visits,
  'path', (select coalesce(json_agg(told ->> 'question' order by place), '[]')
           from jsonb_array_elements(cases.exchanges) with ordinality as way (told, place))::jsonb
          || jsonb_build_array(cases.message),
  'talk', case when trial.kind <> 'step' then (
    select coalesce(json_agg(json_build_object('message', told ->> 'question', 'answer', told ->> 'answer') order by place), '[]')
    from jsonb_array_elements(cases.exchanges) with ordinality as way (told, place)) end,
  'attack', case when cases.attack is not null then json_build_object(
    'id', cases.attack ->> 'id', 'category', upper(cases.attack ->> 'category'),
    'aims', (select json_agg(upper(aim)) from jsonb_array_elements_text(cases.attack -> 'aims') as aim)) end,
  'persona', upper(cases.persona), 'state', upper(cases.state), 'reason', upper(cases.reason),
  'recorded', case when cases.recorded is not null then json_build_object(
    'text', cases.recorded, 'checks', coalesce(cases.recorded_checks, '{}')) end,
  'candidate', case when cases.answer is not null then json_build_object(
    'text', cases.answer, 'checks', coalesce(cases.checks, '{}'), 'stop', cases.stop,
    'output_tokens', cases.output_tokens, 'cost_micros', cases.cost_micros,
    'prompt_fingerprint', cases.prompt_fingerprint) end,
  'judgement', case when coalesce(cases.verdict, cases.unjudged_reason) is not null then json_build_object(
    'verdict', upper(cases.verdict), 'reason', upper(cases.unjudged_reason), 'cost_micros', cases.judge_micros,
    'orders', (select coalesce(json_agg(${shownOrder}), '[]') from jsonb_array_elements(cases.judged) as told)) end,
  'votes', ${trialVotesJsonSql(sql`cases.id`, actor)})`;

/** The judge's verdict in one order: `told` of `trial_cases.judged`. */
const shownOrder = sql`json_build_object(
  'candidate_first', told -> 'candidate_first', 'verdict', upper(told ->> 'verdict'), 'why', told -> 'why',
  'criteria', (select coalesce(json_object_agg(key, upper(value)), '{}') from jsonb_each_text(told -> 'criteria')))`;
