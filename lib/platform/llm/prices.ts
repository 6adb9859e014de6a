import type { Config } from "../../config.ts";
import type { LlmUsage } from "./provider.ts";

/** Per million tokens, by model. Cached tokens without a price cost as much as others. */
export type LlmPrices = Config["LLM_PRICES"];

/** In millionths of the currency; null without a price. */
export function costMicros(prices: LlmPrices, model: string, usage: LlmUsage): number | null {
  const price = Object.hasOwn(prices, model) ? prices[model] : undefined;
  if (!price) return null;
  // A price per million tokens equals millionths per token.
  return Math.round(
    usage.input_tokens * price.input +
      usage.output_tokens * price.output +
      usage.cache_read_tokens * (price.cache_read ?? price.input) +
      usage.cache_write_tokens * (price.cache_write ?? price.input),
  );
}
