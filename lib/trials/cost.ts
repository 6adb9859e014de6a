import type { LlmPrices } from "../llm/prices.ts";
import type { LlmRequest } from "../llm/provider.ts";

/** Tokens of a call, and what they cost in micros. */
export type Cost = { input_tokens: number; output_tokens: number; micros: number };

type Price = NonNullable<LlmPrices[string]>;

/** Undefined where the model has none. */
export const priceOf = (prices: LlmPrices, model: string): Price | undefined =>
  Object.hasOwn(prices, model) ? prices[model] : undefined;

/** What a provider puts around each message, and around the request. */
const framing = 32;

/**
 * What a call may cost at most: no token has less than a byte, the answer is as long as it may be, and the input is read
 * or written at the dearest of its prices.
 */
export function highestCost(request: LlmRequest, price: Price, mostTokens: number): Cost {
  const told = [request.system, ...request.messages.map(({ content }) => content)];
  const bytes = told.reduce((sum, text) => sum + Buffer.byteLength(text) + framing, framing);
  const input_tokens = bytes + (request.tool ? Buffer.byteLength(JSON.stringify(request.tool)) : 0);
  const output_tokens = request.max_tokens ?? mostTokens;
  const dearest = Math.max(price.input, price.cache_read ?? 0, price.cache_write ?? 0);
  return {
    input_tokens,
    output_tokens,
    micros: Math.ceil(input_tokens * dearest + output_tokens * price.output),
  };
}

const charactersOfToken = 4;

/** What a call is expected to cost: four characters a token, and an answer of so many characters. */
export function expectedCost(request: LlmRequest, price: Price, answered: number): Cost {
  const told = request.messages.reduce((sum, { content }) => sum + content.length, request.system.length);
  const input_tokens = Math.ceil(told / charactersOfToken);
  const output_tokens = Math.ceil(answered / charactersOfToken);
  return {
    input_tokens,
    output_tokens,
    micros: Math.round(input_tokens * price.input + output_tokens * price.output),
  };
}

export const sumOfCosts = (costs: readonly Cost[]): Cost =>
  costs.reduce(
    (sum, one) => ({
      input_tokens: sum.input_tokens + one.input_tokens,
      output_tokens: sum.output_tokens + one.output_tokens,
      micros: sum.micros + one.micros,
    }),
    { input_tokens: 0, output_tokens: 0, micros: 0 },
  );
