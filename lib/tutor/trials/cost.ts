import type { LlmPrices } from "../../platform/llm/prices.ts";
import { type LlmRequest, messageText } from "../../platform/llm/provider.ts";

export type TrialCost = { input_tokens: number; output_tokens: number; micros: number };

type Price = NonNullable<LlmPrices[string]>;

export const findModelPrice = (prices: LlmPrices, model: string): Price | undefined =>
  Object.hasOwn(prices, model) ? prices[model] : undefined;

/** Tokens that a provider adds per message and per request. */
const framing = 32;

/** Upper bound: one token per byte, the longest answer, and the highest input price. */
export function maxCallCost(request: LlmRequest, price: Price, maxTokens: number): TrialCost {
  const told = [request.system, ...request.messages.map(messageText)];
  const bytes = told.reduce((sum, text) => sum + Buffer.byteLength(text) + framing, framing);
  const input_tokens = bytes + (request.tool ? Buffer.byteLength(JSON.stringify(request.tool)) : 0);
  const output_tokens = request.max_tokens ?? maxTokens;
  const dearest = Math.max(price.input, price.cache_read ?? 0, price.cache_write ?? 0);
  return {
    input_tokens,
    output_tokens,
    micros: Math.ceil(input_tokens * dearest + output_tokens * price.output),
  };
}

const charactersOfToken = 4;

/** Four characters per token. */
export function estimateCallCost(request: LlmRequest, price: Price, answered: number): TrialCost {
  const told = request.messages.reduce(
    (sum, message) => sum + messageText(message).length,
    request.system.length,
  );
  const input_tokens = Math.ceil(told / charactersOfToken);
  const output_tokens = Math.ceil(answered / charactersOfToken);
  return {
    input_tokens,
    output_tokens,
    micros: Math.round(input_tokens * price.input + output_tokens * price.output),
  };
}

export const sumOfCosts = (costs: readonly TrialCost[]): TrialCost =>
  costs.reduce(
    (sum, one) => ({
      input_tokens: sum.input_tokens + one.input_tokens,
      output_tokens: sum.output_tokens + one.output_tokens,
      micros: sum.micros + one.micros,
    }),
    { input_tokens: 0, output_tokens: 0, micros: 0 },
  );
