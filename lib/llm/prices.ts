import type { Config } from "../config.ts";
import type { LlmUsage } from "./provider.ts";

/** What a million tokens of each model cost. Without a price of their own cached tokens cost what others do. */
export type LlmPrices = Config["LLM_PRICES"];

/** What a call cost, in millionths of the prices' currency; null where the model has no price. */
export function costMicros(prices: LlmPrices, model: string, usage: LlmUsage): number | null {
  const price = Object.hasOwn(prices, model) ? prices[model] : undefined;
  if (!price) return null;
  // A price for a million tokens is one for each token in millionths.
  return Math.round(
    usage.input_tokens * price.input +
      usage.output_tokens * price.output +
      usage.cache_read_tokens * (price.cache_read ?? price.input) +
      usage.cache_write_tokens * (price.cache_write ?? price.input),
  );
}
