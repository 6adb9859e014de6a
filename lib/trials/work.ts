import { sql } from "drizzle-orm";
import * as z from "zod";
import type { TrialCaseReason } from "../../schema/enums.ts";
import type { Question, QuestionKey } from "../../schema/question.ts";
import type { TopicRow } from "../chat/content-context.ts";
import { topicContext } from "../chat/live-answers.ts";
import type { Exchange } from "../chat/llm-request.ts";
import { type TutorPrompt, tutorPrompt } from "../chat/tutor-prompt.ts";
import { rowsOf } from "../db/query/rows.ts";
import { retrying } from "../db/retry-window.ts";
import type { Deps } from "../deps.ts";
import { CallMeter } from "../generations/call-meter.ts";
import { LlmError, LlmTimeout } from "../llm/provider.ts";
import { describeError } from "../logging/log.ts";
import { maxDepth, PromptGraph } from "../prompts/inline.ts";
import { askCandidate, type CandidateAnswer } from "./ask.ts";
import { checkAnswer } from "./checks/check-answer.ts";
import { highestCost, priceOf } from "./cost.ts";
import { type RequestSettings, trialRequest } from "./request.ts";

export type WorkDeps = Pick<Deps, "db" | "llm" | "log" | "metrics"> & {
  config: RequestSettings & Pick<Deps["config"], "LLM_PRICES" | "TUTOR_TRIAL_TOKENS_PER_MONTH">;
};

/** So many calls of all trials are under way at once, whichever processes make them. */
const callsAtOnce = 4;

/** Longer than any call is waited for: whoever holds a case for longer is dead. */
const heldFor = "5 minutes";
const callSeconds = 120;

/** How often a case is taken up before it is given up. */
const mostTries = 4;

/**
 * Asks for the cases of running trials until its signal, or until none is left to take; what is under way then is waited
 * for. Answers how many were taken up.
 */
export async function workTrials(deps: WorkDeps, signal: AbortSignal): Promise<{ cases: number }> {
  let cases = 0;
  const work = async () => {
    while (!signal.aborted) {
      const held = await claim(deps);
      if (!held) return;
      cases += 1;
      await workCase(deps, held).catch((error) =>
        // Its lease lapses, and someone takes it up again.
        deps.log.error({ error: describeError(error), trial_case: held.id }, "a case of a trial was left"),
      );
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: callsAtOnce }, work));
  for (const one of ended) if (one.status === "rejected") throw one.reason;
  return { cases };
}

const Held = z.object({
  id: z.int(),
  token: z.string(),
  tries: z.int(),
  message: z.string(),
  exchanges: z.custom<Exchange[]>(),
  recorded: z.string(),
  recorded_question: z.custom<Question>().nullable(),
  recorded_key: z.custom<QuestionKey>().nullable(),
  model: z.string(),
  prompt_fingerprint: z.string(),
  topic: z.custom<TopicRow>().nullable(),
  graph: PromptGraph.nullable(),
});

type Held = z.output<typeof Held>;

/** Takes a case, with all that its request is made of. */
async function claim({ db, config }: WorkDeps): Promise<Held | undefined> {
  const [held] = await rowsOf(
    db,
    Held,
    sql`
    select one.id, one.token, one.tries, one.message, one.exchanges, one.recorded, one.recorded_question, one.recorded_key,
           trial.model, trial.prompt_fingerprint, (
             select with_file_texts(${topicContext}::jsonb, ${config.TUTOR_MATERIAL_CHARACTERS})
             from content_items join courses on courses.id = content_items.course_id
             join modules as module on module.id = content_items.module_id
             join content_types as type on type.id = content_items.content_type_id
             where content_items.id = one.content_item_id) as topic, (
             select json_build_object('root', prompts.id, 'config', prompts.config, 'prompts', reached.prompts,
                                      'links', reached.links)
             from prompts cross join reached_prompts(array[prompts.id], 0, ${maxDepth}) as reached
             where prompts.name = trial.prompt_name and prompts.version = trial.version) as graph
    from claim_trial_case(${callsAtOnce}, ${heldFor}::interval) as one join trials as trial on trial.id = one.trial_id`,
  );
  return held;
}

async function workCase(deps: WorkDeps, held: Held): Promise<void> {
  const { db, config } = deps;
  const prompt = textOf(held);
  if (held.tries > mostTries) return end(deps, held, "failed", { reason: "llm" });
  if (!prompt) return end(deps, held, "skipped", { reason: "prompt_changed" });
  if (!held.topic) return end(deps, held, "skipped", { reason: "topic_gone" });
  const price = priceOf(config.LLM_PRICES, held.model);
  if (!price) return end(deps, held, "skipped", { reason: "no_price" });
  const { topic } = held;
  const request = trialRequest(held, { prompt, topic, model: held.model }, config);
  const most = highestCost(request, price, config.LLM_MAX_TOKENS);
  const [begun] = await rowsOf(
    db,
    Begun,
    sql`select call, refused_by from begin_trial_call(${held.id}, ${held.token}::uuid,
      ${most.input_tokens + most.output_tokens}::bigint, ${most.micros}::bigint, ${config.TUTOR_TRIAL_TOKENS_PER_MONTH}::bigint,
      ${heldFor}::interval)`,
  );
  if (!begun || begun.call === null) return deps.metrics.trialCaseEnded("skipped");
  const meter = new CallMeter(request, config.LLM_PRICES);
  try {
    const answer = await askCandidate(deps.llm, request, meter, AbortSignal.timeout(callSeconds * 1000));
    await keep(deps, { ...held, topic }, prompt, { answer, call: begun.call, used: meter.used() });
  } catch (error) {
    if (!(error instanceof LlmError)) throw error;
    deps.log.warn(
      { error: describeError(error), trial_case: held.id },
      "the LLM failed at a case of a trial",
    );
    const outcome = error instanceof LlmTimeout ? "timeout" : "failed";
    const isLast = held.tries === mostTries || error.kind === "rejected";
    const told = isLast
      ? { outcome, reason: "llm" as const }
      : { outcome, retry_in: error.retryAfter ?? 5 * held.tries };
    await end(deps, held, isLast ? "failed" : "waiting", told, { call: begun.call, used: meter.used() });
  }
}

const Begun = z.object({ call: z.int().nullable(), refused_by: z.string().nullable() });

/** The version's text, where it is still what it was when the trial was made: any other is not the one that is named. */
function textOf({ graph, prompt_fingerprint }: Held): TutorPrompt | undefined {
  if (!graph) return undefined;
  try {
    const prompt = tutorPrompt({ graph });
    return prompt.fingerprint === prompt_fingerprint ? prompt : undefined;
  } catch {
    return undefined;
  }
}

type Made = { call: number; used: string };

async function keep(
  deps: WorkDeps,
  held: Held & { topic: TopicRow },
  prompt: TutorPrompt,
  { answer, ...made }: Made & { answer: CandidateAnswer },
): Promise<void> {
  const about = { topic: held.topic, prompt, recorded: held.recorded };
  const recorded: CandidateAnswer = {
    text: held.recorded,
    question: held.recorded_question ?? undefined,
    key: held.recorded_key ?? undefined,
    writtenKeys: [],
    stop: null,
  };
  const { text, question, key, stop } = answer;
  const kept = {
    prompt_fingerprint: prompt.fingerprint,
    answer: text,
    question: question ?? null,
    key: key ?? null,
    stop,
    checks: checkAnswer(answer, about),
    recorded_checks: checkAnswer(recorded, about),
    outcome: stop === null || stop === "malformed" ? "complete" : stop,
  };
  await end(deps, held, "answered", kept, made);
}

type Told = {
  reason?: TrialCaseReason;
  outcome?: string;
  retry_in?: number;
  [column: string]: unknown;
};

const Ended = z.object({ is_ended: z.boolean() });

/** Ends a case, or lets it wait; of one that someone else holds by now only what the call has used is written down. */
async function end(
  { db, metrics }: WorkDeps,
  { id, token }: Held,
  how: "answered" | "failed" | "skipped" | "waiting",
  told: Told,
  made?: Made,
): Promise<void> {
  const used = made?.used ?? null;
  const [row] = await retrying(() =>
    rowsOf(
      db,
      Ended,
      sql`select end_trial_case(${id}, ${token}::uuid, ${how}, ${JSON.stringify(told)}::jsonb, ${used}::jsonb) as is_ended`,
    ),
  );
  if (row?.is_ended) return how === "waiting" ? undefined : metrics.trialCaseEnded(how);
  if (made) await db.execute(sql`select end_call(${made.call}::bigint, 'lost', ${used}::jsonb)`);
}
