import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { CaseAttack, CheckResults, JudgedOrder } from "../../schema/db/trials.ts";
import {
  type TrialCaseReason,
  type TrialPersona,
  trialKinds,
  trialStages,
  type UnjudgedReason,
} from "../../schema/enums.ts";
import type { Question, QuestionKey } from "../../schema/question.ts";
import type { TopicRow } from "../chat/content-context.ts";
import { topicContext } from "../chat/live-answers.ts";
import type { Exchange } from "../chat/llm-request.ts";
import { rowsOf } from "../db/query/rows.ts";
import { retrying } from "../db/retry-window.ts";
import type { Deps } from "../deps.ts";
import type { CallMeter } from "../generations/call-meter.ts";
import type { LlmProvider, LlmRequest } from "../llm/provider.ts";
import { maxDepth, PromptGraph } from "../prompts/inline.ts";
import type { RequestSettings } from "./request.ts";

export type WorkDeps = Pick<Deps, "db" | "llm" | "log" | "metrics"> & {
  config: RequestSettings & Pick<Deps["config"], "LLM_PRICES" | "TUTOR_TRIAL_TOKENS_PER_MONTH">;
};

/** So many calls of all trials are under way at once, whichever processes make them. */
export const callsAtOnce = 4;

/** Longer than any call is waited for: whoever holds a case for longer is dead. */
export const heldFor = "5 minutes";

const HeldCase = z.object({
  id: z.int(),
  token: z.string(),
  tries: z.int(),
  kind: z.enum(trialKinds),
  stage: z.enum(trialStages),
  message: z.string(),
  exchanges: z.custom<Exchange[]>(),
  attack: z.custom<CaseAttack>().nullable(),
  persona: z.custom<TrialPersona>().nullable(),
  recorded: z.string().nullable(),
  recorded_question: z.custom<Question>().nullable(),
  recorded_key: z.custom<QuestionKey>().nullable(),
  answer: z.string().nullable(),
  checks: z.custom<CheckResults>().nullable(),
  judged: z.custom<JudgedOrder[]>().nullable(),
  model: z.string(),
  judge_model: z.string().nullable(),
  prompt_fingerprint: z.string(),
  topic: z.custom<TopicRow>().nullable(),
  graph: PromptGraph.nullable(),
});

/** A case that this process may work on until its lease lapses, with all that its requests are made of. */
export type HeldCase = z.output<typeof HeldCase>;

/** What is read of a case, of rows `one` beside its `trial`. */
const caseFields = sql`
  one.id, one.token, one.tries, trial.kind, one.stage, one.message, one.exchanges, one.attack, one.persona,
  one.recorded, one.recorded_question, one.recorded_key, one.answer, one.checks, one.judged, trial.model,
  trial.judge_model, trial.prompt_fingerprint`;

/** An item as a tutor is told it, with the texts of its files. */
const topicOf = (item: SQL, mostMaterial: number): SQL => sql`(
  select with_file_texts(${topicContext}::jsonb, ${mostMaterial})
  from content_items join courses on courses.id = content_items.course_id
  join modules as module on module.id = content_items.module_id
  join content_types as type on type.id = content_items.content_type_id
  where content_items.id = ${item})`;

/** The version that a row `trial` tries, with what it refers to. */
const triedGraph = sql`(
  select json_build_object('root', prompts.id, 'config', prompts.config, 'prompts', reached.prompts,
                           'links', reached.links)
  from prompts cross join reached_prompts(array[prompts.id], 0, ${maxDepth}) as reached
  where prompts.name = trial.prompt_name and prompts.version = trial.version)`;

/** Takes a case; undefined where there is none to take. */
export async function claimCase({ db, llm, config }: WorkDeps): Promise<HeldCase | undefined> {
  const [held] = await rowsOf(
    db,
    HeldCase,
    sql`
    select ${caseFields}, ${topicOf(sql`one.content_item_id`, config.TUTOR_MATERIAL_CHARACTERS)} as topic,
           ${triedGraph} as graph
    from claim_trial_case(${callsAtOnce}, ${heldFor}::interval, ${llm.batches !== undefined}) as one
    join trials as trial on trial.id = one.trial_id`,
  );
  return held;
}

/** A case of a batch, with the call that it is asked by, once that has begun. */
export type BatchCase = HeldCase & { call_id: number | null };

const BatchCases = z.object({
  cases: z.array(
    HeldCase.omit({ topic: true, graph: true }).extend({
      call_id: z.int().nullable(),
      content_item_id: z.int(),
    }),
  ),
  topics: z.record(z.string(), z.custom<TopicRow>()),
  graph: PromptGraph.nullable(),
});

/** The cases of a trial's batch that have no answer yet; what many of them share is read once. */
export async function casesOfBatch({ db, config }: WorkDeps, batch: number): Promise<BatchCase[]> {
  const [row] = await rowsOf(
    db,
    BatchCases,
    sql`
    with open as materialized (
      select * from trial_cases where batch_id = ${batch} and state = 'running'
    )
    select (select coalesce(json_agg(told order by told.id), '[]') from (
              select ${caseFields}, one.call_id, one.content_item_id from open as one) as told) as cases,
           (select coalesce(json_object_agg(item, topic), '{}') from (
              select item, ${topicOf(sql`item`, config.TUTOR_MATERIAL_CHARACTERS)} as topic
              from (select distinct content_item_id as item from open) as items) as told
            where topic is not null) as topics,
           ${triedGraph} as graph
    from llm_batches as batch join trials as trial on trial.id = batch.trial_id where batch.id = ${batch}`,
  );
  if (!row) return [];
  const { cases, topics, graph } = row;
  return cases.map(({ content_item_id, ...one }) => ({
    ...one,
    topic: topics[content_item_id] ?? null,
    graph,
  }));
}

/** What is kept of a case by the names of its columns, and what comes next: `end_trial_case` (trials.sql). */
export type Told = {
  reason?: TrialCaseReason;
  unjudged_reason?: UnjudgedReason;
  outcome?: string;
  retry_in?: number;
  next_stage?: HeldCase["stage"];
  [column: string]: unknown;
};

/** How a case ends, or goes on, and what is kept of it. */
export type Ending = { how: "answered" | "failed" | "skipped" | "waiting"; told: Told };

/**
 * What the LLM is asked next for a case. `read` asks it, counts what that uses, and says what becomes of the case; it throws an
 * `LlmError` where there is no whole answer.
 */
export type CaseCall = {
  request: LlmRequest;
  read(llm: LlmProvider, meter: CallMeter, signal: AbortSignal): Promise<Ending>;
};

/** A call that was made: its row, and what it used as the database takes it. */
export type MadeCall = { call: number; used: string };

const Ended = z.object({ is_ended: z.boolean() });

/** Ends a case, or lets it wait; of one that someone else holds by now only what the call has used is written down. */
export async function endCase(
  { db, metrics }: WorkDeps,
  { id, token, stage }: HeldCase,
  how: Ending["how"],
  told: Told,
  made?: MadeCall,
): Promise<void> {
  const used = made?.used ?? null;
  const [row] = await retrying(() =>
    rowsOf(
      db,
      Ended,
      sql`select end_trial_case(${id}, ${token}::uuid, ${how}, ${JSON.stringify(told)}::jsonb, ${used}::jsonb) as is_ended`,
    ),
  );
  if (row?.is_ended) {
    if (how !== "waiting") metrics.trialCaseEnded(stage === "answer" ? how : "answered");
  } else if (made) await db.execute(sql`select end_call(${made.call}::bigint, 'lost', ${used}::jsonb)`);
}
