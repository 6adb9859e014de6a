import { type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import {
  Trial,
  type TrialPath,
  type TrialQuery,
  type TrialReport,
} from "../../../schema/api/tutor/trials.ts";
import { momentForm } from "../../../schema/db/platform/columns.ts";
import { trials } from "../../../schema/db/tutor/trials.ts";
import { notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { createPageQuery, descending, RowWithPageKey } from "../../platform/db/query/page.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { maxBatchHours, maxBatchRequests } from "../../platform/llm/batches.ts";
import type { ListPage } from "../../platform/results/list-page.ts";
import { hasFailedCheckCondition } from "./cases.ts";
import { judgementCountsJsonSql, leakCountsJsonSql, voteCountsJsonSql } from "./counts.ts";
import { editableTrialOfVersionCondition, editableTrialWithIdCondition } from "./editable-trials.ts";
import { ReportRow, toTrialReport } from "./report.ts";
import { maxPersonaTurns } from "./talks/personas.ts";

export const trialJsonSql = (trial: SQL, cases: SQL): SQL => sql`json_build_object(
  'id', ${trial}.id, 'prompt_name', ${trial}.prompt_name, 'version', ${trial}.version, 'against', ${trial}.against,
  'course_id', ${trial}.course_id, 'kind', upper(${trial}.kind), 'state', upper(${trial}.state), 'model', ${trial}.model,
  'judge_model', ${trial}.judge_model,
  'estimate', json_build_object('calls', ${callsOf(trial, cases)}, 'input_tokens', ${trial}.estimated_input_tokens,
    'output_tokens', ${trial}.estimated_output_tokens, 'cost_micros', ${trial}.estimated_micros,
    'by_batch', ${trial}.batch_least is not null, 'most_hours', ${hoursOf(trial, cases)}),
  'cost', json_build_object('limit_micros', ${trial}.limit_micros, 'spent_micros', ${trial}.spent_micros,
    'reserved_micros', ${trial}.reserved_micros, 'lost_micros', ${trial}.lost_micros,
    'calls_estimated', ${trial}.calls_estimated),
  'created_by', ${trial}.created_by, 'created_at', ${momentForm(sql`${trial}.created_at`)},
  'started_at', ${momentForm(sql`${trial}.started_at`)}, 'ended_at', ${momentForm(sql`${trial}.ended_at`)})`;

/** One call per case plus two for the judge; a conversation has several turns. */
const callsOf = (trial: SQL, cases: SQL): SQL => sql`${cases} * case
  when ${trial}.kind = 'free' then ${maxPersonaTurns}::int when ${trial}.judge_model is not null then 3 else 1 end`;

/** A day for each consecutive batch; null without batches. */
const hoursOf = (trial: SQL, cases: SQL): SQL => sql`case when ${trial}.batch_least is not null then
  ${maxBatchHours}::int * ceil(${cases} / ${maxBatchRequests}::numeric)::int
    * case when ${trial}.judge_model is not null then 3 else 1 end end`;

export const caseCountSql = sql`(select count(*)::int from trial_cases where trial_id = trial.id)`;

const one = alias(trials, "trial");

const Listed = RowWithPageKey.extend({ trial: Trial });

export async function listTrials(
  db: ReadDb,
  actor: Actor,
  version: Pick<TrialPath, "prompt_name" | "version">,
  query: TrialQuery,
): Promise<ListPage<Trial>> {
  const page = createPageQuery(query, [descending(one.id)]);
  const rows = await rowsOf(
    db,
    Listed,
    sql`select ${trialJsonSql(sql`trial`, caseCountSql)} as trial, ${page.keyColumn}
        from trials as trial ${page.tail(editableTrialOfVersionCondition(actor, version))}`,
  );
  return page.part(rows).map(({ trial }) => trial);
}

/** 404 for a trial that the caller may not see. */
export async function getTrial(db: ReadDb, actor: Actor, path: TrialPath): Promise<TrialReport> {
  const [row] = await rowsOf(
    db,
    ReportRow,
    sql`
    select ${trialJsonSql(sql`trial`, caseCountSql)} as trial, (
      select json_build_object(
        'waiting', count(*) filter (where state = 'waiting'), 'running', count(*) filter (where state = 'running'),
        'answered', count(*) filter (where state = 'answered'), 'failed', count(*) filter (where state = 'failed'),
        'skipped', count(*) filter (where state = 'skipped'))
      from trial_cases where trial_id = trial.id) as cases, (
      select coalesce(json_agg(json_build_object('reason', upper(reason), 'cases', cases) order by reason), '[]')
      from (select reason, count(*) as cases from trial_cases
            where trial_id = trial.id and reason is not null group by reason) as reasons) as not_sent,
      ${passedOf(sql`checks`)} as candidate, ${passedOf(sql`recorded_checks`)} as recorded, (
      select json_build_object(
        'candidate', json_build_object('characters', avg(length(answer))::float8,
          'output_tokens', avg(output_tokens)::float8, 'cost_micros', avg(cost_micros)::float8),
        'recorded', json_build_object('characters', avg(length(recorded))::float8, 'output_tokens', null,
          'cost_micros', null))
      from trial_cases where trial_id = trial.id and checks is not null) as lengths,
      ${openBatch} as batch, ${judgementCountsJsonSql} as judgement, ${voteCountsJsonSql} as votes, ${leakCountsJsonSql} as leaks
    from trials as trial where ${editableTrialWithIdCondition(actor, path)}`,
  );
  if (!row) throw notFound("Trial");
  return toTrialReport(row);
}

const openBatch = sql`(
  select json_build_object('requests', requests, 'sent_at', ${momentForm(sql`sent_at`)},
    'due_at', ${momentForm(sql`(sent_at + make_interval(hours => ${maxBatchHours}::int))`)})
  from llm_batches where trial_id = trial.id and state in ('gathering', 'sending', 'sent'))`;

/** Applicable and passed answers per check, and answers that passed all checks. */
const passedOf = (checks: SQL): SQL => sql`(
  select json_build_object(
    'checks', coalesce((select json_object_agg(name, json_build_array(passed, looked_at)) from (
      select told.key as name, count(*) filter (where told.value = 'null') as passed, count(*) as looked_at
      from trial_cases, jsonb_each(${checks}) as told where trial_id = trial.id group by told.key) as counted), '{}'),
    'all', json_build_array(count(*) filter (where not ${hasFailedCheckCondition(checks)}), count(*)))
  from trial_cases where trial_id = trial.id and ${checks} is not null)`;
