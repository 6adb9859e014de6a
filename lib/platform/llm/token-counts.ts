import type { MessageDeltaUsage, Usage } from "@anthropic-ai/sdk/resources/messages";
import type { TokenUsage } from "@aws-sdk/client-bedrock-runtime";
import type { LlmUsage } from "./provider.ts";

/** Unknown values, because servers differ from the client's types. */
type Said<Field extends PropertyKey> = { [Name in Field]?: unknown };

/** The largest count that a row can store. */
export const maxStorableTokens = 2 ** 31 - 1;

/** 0 if the value is no whole number from 0 to `maxStorableTokens`. */
export const tokenCountOrZero = (said: unknown): number =>
  typeof said === "number" && Number.isInteger(said) && said >= 0 && said <= maxStorableTokens ? said : 0;

export const tokenSum = (...counts: number[]): number =>
  Math.min(
    counts.reduce((sum, count) => sum + count, 0),
    maxStorableTokens,
  );

export const anthropicUsage = (said: Said<keyof Usage | keyof MessageDeltaUsage>): LlmUsage => ({
  input_tokens: tokenCountOrZero(said.input_tokens),
  output_tokens: tokenCountOrZero(said.output_tokens),
  cache_read_tokens: tokenCountOrZero(said.cache_read_input_tokens),
  cache_write_tokens: tokenCountOrZero(said.cache_creation_input_tokens),
});

export const bedrockUsage = (said: Said<keyof TokenUsage>): LlmUsage => ({
  input_tokens: tokenCountOrZero(said.inputTokens),
  output_tokens: tokenCountOrZero(said.outputTokens),
  cache_read_tokens: tokenCountOrZero(said.cacheReadInputTokens),
  cache_write_tokens: tokenCountOrZero(said.cacheWriteInputTokens),
});
