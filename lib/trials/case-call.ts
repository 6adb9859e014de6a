import { sql } from "drizzle-orm";
import * as z from "zod";
import { rowsOf } from "../db/query/rows.ts";
import { CallMeter } from "../generations/call-meter.ts";
import { LlmError, type LlmRequest, LlmTimeout } from "../llm/provider.ts";
import { describeError } from "../logging/log.ts";
import type { Ask } from "./ask.ts";
import { highestCost, priceOf } from "./cost.ts";
import { endCase, type HeldCase, heldFor, type MadeCall, type WorkDeps } from "./held-case.ts";

const callSeconds = 120;

/** How often the LLM is asked the same before that is given up. */
const mostTries = 4;

const Begun = z.object({ call: z.int().nullable(), refused_by: z.string().nullable() });

/**
 * Asks the LLM for a case, once what that may cost at most is reserved. Undefined where there is no answer: then the case has
 * ended, or waits to be asked again.
 */
export async function callFor<Answer>(
  deps: WorkDeps,
  held: HeldCase,
  request: LlmRequest,
  ask: Ask<Answer>,
): Promise<(MadeCall & { answer: Answer }) | undefined> {
  const { config } = deps;
  const price = priceOf(config.LLM_PRICES, request.model);
  if (!price) return void (await endCase(deps, held, "skipped", { reason: "no_price" }));
  if (held.tries > mostTries) return void (await endCase(deps, held, "failed", { reason: "llm" }));
  const most = highestCost(request, price, config.LLM_MAX_TOKENS);
  const [begun] = await rowsOf(
    deps.db,
    Begun,
    sql`select call, refused_by from begin_trial_call(${held.id}, ${held.token}::uuid,
      ${most.input_tokens + most.output_tokens}::bigint, ${most.micros}::bigint, ${config.TUTOR_TRIAL_TOKENS_PER_MONTH}::bigint,
      ${heldFor}::interval)`,
  );
  if (!begun || begun.call === null)
    return void deps.metrics.trialCaseEnded(held.stage === "answer" ? "skipped" : "answered");
  const { call } = begun;
  const meter = new CallMeter(request, config.LLM_PRICES);
  try {
    const answer = await ask(deps.llm, request, meter, AbortSignal.timeout(callSeconds * 1000));
    return { answer, call, used: meter.used() };
  } catch (error) {
    if (!(error instanceof LlmError)) throw error;
    return void (await endWithout(deps, held, error, { call, used: meter.used() }));
  }
}

/** The LLM has failed: it is asked again later, unless that would fail again, or has failed too often. */
async function endWithout(deps: WorkDeps, held: HeldCase, error: LlmError, made: MadeCall): Promise<void> {
  deps.log.warn({ error: describeError(error), trial_case: held.id }, "the LLM failed at a case of a trial");
  const outcome = error instanceof LlmTimeout ? "timeout" : "failed";
  const isLast = held.tries === mostTries || error.kind === "rejected";
  const told = isLast
    ? { outcome, reason: "llm" as const }
    : { outcome, retry_in: error.retryAfter ?? 5 * held.tries };
  await endCase(deps, held, isLast ? "failed" : "waiting", told, made);
}
