import type { Config } from "../../config.ts";
import type { LlmPrices } from "./prices.ts";
import { type BatchResult, LlmError, type LlmEvent, type LlmProvider, type LlmUsage } from "./provider.ts";
import type { ReasoningMarkOptions } from "./reasoning-filter.ts";
import { classifyStopReason } from "./stop-reasons.ts";
import { storableEventsWithoutReasoning } from "./stream-answer.ts";

/** A batch completes within a day; the rest is never answered. */
export const maxBatchHours = 24;

export type BatchLimits = { least: number; most: number };

const minBedrockBatchRequests = 100;
/** Long prompts must fit a function's memory. */
export const maxBatchRequests = 250;

export type BatchSettings = Pick<
  Config,
  "LLM_PROVIDER" | "LLM_BATCHES" | "DIRECT_API_BASE_URL" | "CLOUD_BATCH_BUCKET" | "CLOUD_BATCH_ROLE_ARN"
>;

/**
 * Undefined without batches. Anthropic's API supports them, and Bedrock given a bucket and a role. Compatible
 * servers need LLM_BATCHES.
 */
export function batchLimits(settings: BatchSettings): BatchLimits | undefined {
  const { LLM_PROVIDER, LLM_BATCHES, DIRECT_API_BASE_URL, CLOUD_BATCH_BUCKET, CLOUD_BATCH_ROLE_ARN } =
    settings;
  if (LLM_BATCHES === false) return undefined;
  if (LLM_PROVIDER === "direct_api" && (LLM_BATCHES || !DIRECT_API_BASE_URL))
    return { least: 1, most: maxBatchRequests };
  if (LLM_PROVIDER === "cloud_managed" && CLOUD_BATCH_BUCKET && CLOUD_BATCH_ROLE_ARN)
    return { least: minBedrockBatchRequests, most: maxBatchRequests };
  return undefined;
}

/** Of the normal price. */
const defaultBatchPriceShare = 0.5;

export const batchPrices = (prices: LlmPrices): LlmPrices =>
  Object.fromEntries(
    Object.entries(prices).map(([model, { batch = defaultBatchPriceShare, ...price }]) => [
      model,
      Object.fromEntries(
        Object.entries(price).map(([name, one]) => [name, (one ?? 0) * batch]),
      ) as typeof price,
    ]),
  );

export async function toBatchResult(
  call: number,
  answer: AsyncIterable<LlmEvent>,
  { provider, reasoning }: { provider: LlmProvider["name"]; reasoning: ReasoningMarkOptions },
): Promise<BatchResult> {
  const events = await Array.fromAsync(storableEventsWithoutReasoning(answer, reasoning));
  const end = events.at(-1);
  if (end?.type !== "end" || classifyStopReason(end.stop_reason) !== "failure") return { call, events };
  return {
    call,
    failure: { kind: "unavailable", reason: `${provider}: an answer in a batch ended with an error` },
  };
}

/** Replays a batch result once. A second call goes to `llm`. */
export function providerReplayingBatchResult(llm: LlmProvider, result: BatchResult): LlmProvider {
  let isTold = false;
  return {
    ...llm,
    async *stream(request) {
      if (isTold) return yield* llm.stream(request);
      isTold = true;
      if ("failure" in result) throw new LlmError(result.failure.kind, result.failure.reason);
      for (const event of result.events) {
        if (event.type === "end") request.onUsage?.(usageOf(event));
        yield event;
      }
    },
  };
}

const usageOf = ({
  input_tokens,
  output_tokens,
  cache_read_tokens,
  cache_write_tokens,
}: LlmUsage): LlmUsage => ({
  input_tokens,
  output_tokens,
  cache_read_tokens,
  cache_write_tokens,
});
