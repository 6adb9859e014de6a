import { sql } from "drizzle-orm";
import * as z from "zod";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { isPermanentRefusal } from "../../platform/db/unavailable.ts";
import { LlmError, type LlmProvider, LlmTimeout } from "../../platform/llm/provider.ts";
import { describeError } from "../../platform/logging/log.ts";
import { CallMeter } from "../generations/call-meter.ts";
import { buildAnswerCallOrEnding } from "./answer-case.ts";
import { findModelPrice, maxCallCost } from "./cost.ts";
import {
  type CaseCall,
  type CaseEnding,
  caseLeaseDuration,
  endOrRequeueCase,
  type FinishedCallUsage,
  type LeasedCase,
  type WorkDeps,
} from "./held-case.ts";
import { buildJudgeCall } from "./judge/judge-case.ts";
import type { RequestSettings } from "./request.ts";

/** The next call (the version's answer, or the judge's), or the case's end. */
export function nextCaseCallOrEnding(held: LeasedCase, config: RequestSettings): CaseCall | CaseEnding {
  const { topic } = held;
  if (!topic) return { how: "skipped", told: { reason: "topic_gone" } };
  return held.stage === "answer"
    ? buildAnswerCallOrEnding({ ...held, topic }, config)
    : buildJudgeCall({ ...held, topic }, config);
}

const callSeconds = 120;

const maxTrialCaseTries = 4;

const Begun = z.object({ call: z.int().nullable() });

/** Makes the call immediately, after reserving its maximum cost. */
export async function runCaseCallWithinBudget(deps: WorkDeps, held: LeasedCase): Promise<void> {
  const { config } = deps;
  const next = nextCaseCallOrEnding(held, config);
  if ("how" in next) return endOrRequeueCase(deps, held, next.how, next.told);
  const { request } = next;
  const price = findModelPrice(config.LLM_PRICES, request.model);
  if (!price) return endOrRequeueCase(deps, held, "skipped", { reason: "no_price" });
  if (held.tries > maxTrialCaseTries) return endOrRequeueCase(deps, held, "failed", { reason: "llm" });
  const most = maxCallCost(request, price, config.LLM_MAX_TOKENS);
  const [begun] = await rowsOf(
    deps.db,
    Begun,
    sql`select call from begin_trial_call_within_budget(${held.id}, ${held.token}::uuid,
      ${most.input_tokens + most.output_tokens}::bigint, ${most.micros}::bigint, ${config.TUTOR_TRIAL_TOKENS_PER_MONTH}::bigint,
      ${caseLeaseDuration}::interval)`,
  );
  if (!begun || begun.call === null)
    return deps.metrics.trialCaseEnded(held.stage === "answer" ? "skipped" : "answered");
  const meter = new CallMeter(request, config.LLM_PRICES);
  const signal = AbortSignal.timeout(callSeconds * 1000);
  await executeCallAndEndCase(deps, held, next, deps.llm, { call: begun.call, meter, signal });
}

export async function executeCallAndEndCase(
  deps: WorkDeps,
  held: LeasedCase,
  next: CaseCall,
  llm: LlmProvider,
  { call, meter, signal }: { call: number; meter: CallMeter; signal: AbortSignal },
): Promise<void> {
  try {
    const { how, told } = await next.read(llm, meter, signal);
    await endOrRequeueCase(deps, held, how, told, { call, used: meter.used() });
  } catch (error) {
    if (isPermanentRefusal(error)) return endRefused(deps, held, error, { call, used: meter.used() });
    if (!(error instanceof LlmError)) throw error;
    await endWithout(deps, held, error, { call, used: meter.used() });
  }
}

/** The database rejected the answer permanently: a retry would only cost money. */
async function endRefused(
  deps: WorkDeps,
  held: LeasedCase,
  error: unknown,
  made: FinishedCallUsage,
): Promise<void> {
  deps.log.error({ error: describeError(error), trial_case: held.id }, "an answer in a trial was rejected");
  await endOrRequeueCase(deps, held, "failed", { outcome: "failed", reason: "llm" }, made);
}

/** Retries later, unless the error is permanent or the attempts are used up. */
async function endWithout(
  deps: WorkDeps,
  held: LeasedCase,
  error: LlmError,
  made: FinishedCallUsage,
): Promise<void> {
  deps.log.warn({ error: describeError(error), trial_case: held.id }, "the LLM failed a case of a trial");
  const outcome = error instanceof LlmTimeout ? "timeout" : "failed";
  const isLast = held.tries === maxTrialCaseTries || error.kind === "rejected";
  const told = isLast
    ? { outcome, reason: "llm" as const }
    : { outcome, retry_in: error.retryAfter ?? 5 * held.tries };
  await endOrRequeueCase(deps, held, isLast ? "failed" : "waiting", told, made);
}
