import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { CaseAttack, CheckResults, JudgedOrder } from "../../../schema/db/tutor/trials.ts";
import {
  type TrialCaseReason,
  type TrialPersona,
  trialKinds,
  trialStages,
  type UnjudgedReason,
} from "../../../schema/enums.ts";
import type { Question, QuestionKey } from "../../../schema/question.ts";
import type { Deps } from "../../deps.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { retryWhileUnavailable } from "../../platform/db/retry-window.ts";
import type { LlmProvider, LlmRequest } from "../../platform/llm/provider.ts";
import { topicContextJsonSql } from "../chat/answer-lookup.ts";
import type { TopicRow } from "../chat/content-context.ts";
import type { Exchange } from "../chat/history.ts";
import type { CallMeter } from "../generations/call-meter.ts";
import { maxPromptReferenceDepth, PromptGraph } from "../prompts/inline.ts";
import type { RequestSettings } from "./request.ts";

export type WorkDeps = Pick<Deps, "db" | "llm" | "log" | "metrics"> & {
  config: RequestSettings & Pick<Deps["config"], "LLM_PRICES" | "TUTOR_TRIAL_TOKENS_PER_MONTH">;
};

/** Of all trials, over all processes. */
export const maxConcurrentTrialCalls = 4;

/** Longer than any call: after that time, the worker is dead. */
export const caseLeaseDuration = "5 minutes";

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

export type LeasedCase = z.output<typeof HeldCase>;

const caseFields = sql`
  one.id, one.token, one.tries, trial.kind, one.stage, one.message, one.exchanges, one.attack, one.persona,
  one.recorded, one.recorded_question, one.recorded_key, one.answer, one.checks, one.judged, trial.model,
  trial.judge_model, trial.prompt_fingerprint`;

const topicOf = (item: SQL, maxMaterial: number): SQL => sql`(
  select tutor_context_with_file_texts(${topicContextJsonSql}::jsonb, ${maxMaterial})
  from content_items join courses on courses.id = content_items.course_id
  join modules as module on module.id = content_items.module_id
  join content_types as type on type.id = content_items.content_type_id
  where content_items.id = ${item})`;

const triedGraph = sql`(
  select json_build_object('root', prompts.id, 'config', prompts.config, 'prompts', reached.prompts,
                           'links', reached.links)
  from prompts cross join referenced_prompts_with_links(array[prompts.id], 0, ${maxPromptReferenceDepth}) as reached
  where prompts.name = trial.prompt_name and prompts.version = trial.version)`;

export async function claimCase({ db, llm, config }: WorkDeps): Promise<LeasedCase | undefined> {
  const [held] = await rowsOf(
    db,
    HeldCase,
    sql`
    select ${caseFields}, ${topicOf(sql`one.content_item_id`, config.TUTOR_MATERIAL_CHARACTERS)} as topic,
           ${triedGraph} as graph
    from claim_next_trial_case(${maxConcurrentTrialCalls}, ${caseLeaseDuration}::interval, ${llm.batches !== undefined}) as one
    join trials as trial on trial.id = one.trial_id`,
  );
  return held;
}

export type BatchCase = LeasedCase & { call_id: number | null };

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

/** The unanswered cases of a batch. Shared data is read once. */
export async function unansweredCasesOfBatch({ db, config }: WorkDeps, batch: number): Promise<BatchCase[]> {
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

/** Stored values by column, and the next step: `end_or_requeue_trial_case` (trials.sql). */
export type CaseEndValues = {
  reason?: TrialCaseReason;
  unjudged_reason?: UnjudgedReason;
  outcome?: string;
  retry_in?: number;
  next_stage?: LeasedCase["stage"];
  [column: string]: unknown;
};

export type CaseEnding = { how: "answered" | "failed" | "skipped" | "waiting"; told: CaseEndValues };

/**
 * `read` makes and meters the call and decides how the case continues. Throws an `LlmError` without a
 * complete answer.
 */
export type CaseCall = {
  request: LlmRequest;
  read(llm: LlmProvider, meter: CallMeter, signal: AbortSignal): Promise<CaseEnding>;
};

export type FinishedCallUsage = { call: number; used: string };

const Ended = z.object({ is_ended: z.boolean() });

/** Ends or requeues a case. If another worker has the lease by now, stores only the usage. */
export async function endOrRequeueCase(
  { db, metrics }: WorkDeps,
  { id, token, stage }: LeasedCase,
  how: CaseEnding["how"],
  told: CaseEndValues,
  made?: FinishedCallUsage,
): Promise<void> {
  const used = made?.used ?? null;
  const [row] = await retryWhileUnavailable(() =>
    rowsOf(
      db,
      Ended,
      sql`select end_or_requeue_trial_case(${id}, ${token}::uuid, ${how}, ${JSON.stringify(told)}::jsonb, ${used}::jsonb) as is_ended`,
    ),
  );
  if (row?.is_ended) {
    if (how !== "waiting") metrics.trialCaseEnded(stage === "answer" ? how : "answered");
  } else if (made)
    await db.execute(sql`select end_llm_call_and_count_usage(${made.call}::bigint, 'lost', ${used}::jsonb)`);
}
