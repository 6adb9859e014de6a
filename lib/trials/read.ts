import { and, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import * as z from "zod";
import {
  Trial,
  type TrialCase,
  type TrialCaseQuery,
  type TrialPath,
  type TrialQuery,
  type TrialReport,
} from "../../schema/api/trials.ts";
import { momentForm } from "../../schema/db/columns.ts";
import { trialCases, trials } from "../../schema/db/trials.ts";
import type { TrialCheck } from "../../schema/enums.ts";
import type { Actor } from "../auth/actor.ts";
import type { ReadDb } from "../db/client.ts";
import { ascending, descending, Keyed, pageOf } from "../db/query/page.ts";
import { rowsOf } from "../db/query/rows.ts";
import { notFound } from "../errors.ts";
import type { ListPage } from "../results/list-page.ts";
import { oneTrial, trialsOf } from "./reach.ts";
import { ReportRow, reportOf } from "./report.ts";

/** A trial as it is answered, as JSON; `calls` is how many cases it has. */
export const shownTrial = (trial: SQL, calls: SQL): SQL => sql`json_build_object(
  'id', ${trial}.id, 'prompt_name', ${trial}.prompt_name, 'version', ${trial}.version, 'against', ${trial}.against,
  'course_id', ${trial}.course_id, 'kind', upper(${trial}.kind), 'state', upper(${trial}.state), 'model', ${trial}.model,
  'estimate', json_build_object('calls', ${calls}, 'input_tokens', ${trial}.estimated_input_tokens,
    'output_tokens', ${trial}.estimated_output_tokens, 'cost_micros', ${trial}.estimated_micros),
  'cost', json_build_object('limit_micros', ${trial}.limit_micros, 'spent_micros', ${trial}.spent_micros,
    'reserved_micros', ${trial}.reserved_micros, 'lost_micros', ${trial}.lost_micros),
  'created_by', ${trial}.created_by, 'created_at', ${momentForm(sql`${trial}.created_at`)},
  'started_at', ${momentForm(sql`${trial}.started_at`)}, 'ended_at', ${momentForm(sql`${trial}.ended_at`)})`;

/** Beside a row `trial`. */
export const countOfCases = sql`(select count(*)::int from trial_cases where trial_id = trial.id)`;

const one = alias(trials, "trial");

const Listed = Keyed.extend({ trial: Trial });

/** The trials of a version in the courses whose content the caller writes, newest first. */
export async function listTrials(
  db: ReadDb,
  actor: Actor,
  version: Pick<TrialPath, "prompt_name" | "version">,
  query: TrialQuery,
): Promise<ListPage<Trial>> {
  const page = pageOf(query, [descending(one.id)]);
  const rows = await rowsOf(
    db,
    Listed,
    sql`select ${shownTrial(sql`trial`, countOfCases)} as trial, ${page.keyColumn}
        from trials as trial ${page.tail(trialsOf(actor, version))}`,
  );
  return page.part(rows).map(({ trial }) => trial);
}

/** A trial with what has come of it; 404 where there is none that the caller may see. */
export async function getTrial(db: ReadDb, actor: Actor, path: TrialPath): Promise<TrialReport> {
  const [row] = await rowsOf(
    db,
    ReportRow,
    sql`
    select ${shownTrial(sql`trial`, countOfCases)} as trial, (
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
      from trial_cases where trial_id = trial.id and state = 'answered') as lengths
    from trials as trial where ${oneTrial(actor, path)}`,
  );
  if (!row) throw notFound("Trial");
  return reportOf(row);
}

/** How often each check had something to look at in the answers, how often it passed, and how many answers passed all. */
const passedOf = (checks: SQL): SQL => sql`(
  select json_build_object(
    'checks', coalesce((select json_object_agg(name, json_build_array(passed, looked_at)) from (
      select told.key as name, count(*) filter (where told.value = 'null') as passed, count(*) as looked_at
      from trial_cases, jsonb_each(${checks}) as told
      where trial_id = trial.id and state = 'answered' group by told.key) as counted), '{}'),
    'all', json_build_array(count(*) filter (where not exists (
      select from jsonb_each(${checks}) as told where told.value <> 'null')), count(*)))
  from trial_cases where trial_id = trial.id and state = 'answered' and ${checks} is not null)`;

const CaseRow = Keyed.extend({ one: z.custom<TrialCase>() });

const cases = alias(trialCases, "cases");

/** The pairs of a trial, the most visited first; 404 as above. */
export async function listTrialCases(
  db: ReadDb,
  actor: Actor,
  path: TrialPath,
  { failed_check, ...query }: TrialCaseQuery,
): Promise<ListPage<TrialCase>> {
  const page = pageOf(query, [ascending(cases.id)]);
  const failed =
    failed_check && sql`cases.checks ->> ${failed_check.toLowerCase() as TrialCheck} is not null`;
  const wanted = and(sql`cases.trial_id = trial.id`, failed);
  const [found] = await rowsOf(
    db,
    z.object({ pairs: z.array(CaseRow) }),
    sql`
    select coalesce((select json_agg(json_build_object('one', one, 'page_key', page_key) order by place) from (
      select ${shownCase} as one, ${page.keyColumn}, row_number() over (order by cases.id) as place
      from trial_cases as cases ${page.tail(wanted)}) as page), '[]') as pairs
    from trials as trial where ${oneTrial(actor, path)}`,
  );
  if (!found) throw notFound("Trial");
  return page.part(found.pairs).map((row) => row.one);
}

const shownCase = sql`json_build_object(
  'id', cases.id, 'content_item_id', cases.content_item_id, 'node_id', cases.node_id, 'visits', cases.visits,
  'path', (select coalesce(json_agg(told ->> 'question' order by place), '[]')
           from jsonb_array_elements(cases.exchanges) with ordinality as way (told, place))::jsonb
          || jsonb_build_array(cases.message),
  'state', upper(cases.state), 'reason', upper(cases.reason),
  'recorded', json_build_object('text', cases.recorded, 'checks', coalesce(cases.recorded_checks, '{}')),
  'candidate', case when cases.answer is not null then json_build_object(
    'text', cases.answer, 'checks', coalesce(cases.checks, '{}'), 'stop', cases.stop,
    'output_tokens', cases.output_tokens, 'cost_micros', cases.cost_micros,
    'prompt_fingerprint', cases.prompt_fingerprint) end)`;
