import { batchPrices, providerReplayingBatchResult } from "../../../platform/llm/batches.ts";
import type { BatchResult, LlmBatches } from "../../../platform/llm/provider.ts";
import { CallMeter } from "../../generations/call-meter.ts";
import { executeCallAndEndCase, nextCaseCallOrEnding } from "../case-call.ts";
import { type BatchCase, endOrRequeueCase, unansweredCasesOfBatch, type WorkDeps } from "../held-case.ts";
import type { LeasedBatch } from "./held-batch.ts";

const readingSeconds = 240;

/** Ends a batch's cases with its answers. Of duplicate answers the first counts. */
export async function storeBatchResults(
  deps: WorkDeps,
  batches: LlmBatches,
  { id, marker }: LeasedBatch,
  provider: string,
): Promise<void> {
  const open = new Map((await unansweredCasesOfBatch(deps, id)).map((one) => [one.call_id, one]));
  const signal = AbortSignal.timeout(readingSeconds * 1000);
  for await (const result of batches.results(provider, marker, signal)) {
    const held = open.get(result.call);
    if (!held) continue;
    open.delete(result.call);
    await takeResult(deps, held, result, signal);
  }
}

async function takeResult(
  deps: WorkDeps,
  held: BatchCase,
  result: BatchResult,
  signal: AbortSignal,
): Promise<void> {
  const prices = batchPrices(deps.config.LLM_PRICES);
  const model = held.stage === "answer" ? held.model : (held.judge_model ?? "");
  const meter = new CallMeter({ model, system: "", messages: [] }, prices);
  const { call } = result;
  const next = nextCaseCallOrEnding(held, deps.config);
  if (!("how" in next))
    return executeCallAndEndCase(deps, held, next, providerReplayingBatchResult(deps.llm, result), {
      call,
      meter,
      signal,
    });
  // The topic or the version's text has changed: the answer is discarded, its cost counts.
  const end = "events" in result ? result.events.at(-1) : undefined;
  if (end?.type === "end") meter.report(end, true);
  await endOrRequeueCase(deps, held, next.how, next.told, { call, used: meter.used() });
}
