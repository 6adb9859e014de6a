import type { Config } from "../config.ts";
import type { LlmPrices } from "./prices.ts";
import { type BatchResult, LlmError, type LlmProvider, type LlmUsage } from "./provider.ts";

/** A batch is answered within a day, or what is left of it never. */
export const hoursOfBatch = 24;

/** How few calls are worth a batch, and how many one takes at most. */
export type BatchLimits = { least: number; most: number };

/** Bedrock takes no job of fewer records. */
const leastOfBedrock = 100;
/** So that the requests of a batch with long material still fit into the memory of a function. */
export const mostOfBatch = 250;

export type BatchSettings = Pick<
  Config,
  "LLM_PROVIDER" | "LLM_BATCHES" | "DIRECT_API_BASE_URL" | "CLOUD_BATCH_BUCKET" | "CLOUD_BATCH_ROLE_ARN"
>;

/**
 * Whether the settings name a provider that takes batches, and of how many calls: Anthropic's own API, another server that
 * speaks it where LLM_BATCHES says so, and Bedrock where it was given a bucket and a role.
 */
export function batchLimits(settings: BatchSettings): BatchLimits | undefined {
  const { LLM_PROVIDER, LLM_BATCHES, DIRECT_API_BASE_URL, CLOUD_BATCH_BUCKET, CLOUD_BATCH_ROLE_ARN } =
    settings;
  if (LLM_BATCHES === false) return undefined;
  if (LLM_PROVIDER === "direct_api" && (LLM_BATCHES || !DIRECT_API_BASE_URL))
    return { least: 1, most: mostOfBatch };
  if (LLM_PROVIDER === "cloud_managed" && CLOUD_BATCH_BUCKET && CLOUD_BATCH_ROLE_ARN)
    return { least: leastOfBedrock, most: mostOfBatch };
  return undefined;
}

/** What is charged of a price in a batch, where a model's price does not say. */
const usualShare = 0.5;

/** The prices of calls in batches. */
export const batchPrices = (prices: LlmPrices): LlmPrices =>
  Object.fromEntries(
    Object.entries(prices).map(([model, { batch = usualShare, ...price }]) => [
      model,
      Object.fromEntries(
        Object.entries(price).map(([name, one]) => [name, (one ?? 0) * batch]),
      ) as typeof price,
    ]),
  );

/** The provider of a call whose answer is there already: whoever asks it is told that, and whoever asks again asks `llm`. */
export function answeredProvider(llm: LlmProvider, result: BatchResult): LlmProvider {
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
