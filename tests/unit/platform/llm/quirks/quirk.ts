import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import type { RawResponse } from "../../../../support/raw-llm.ts";

/** One response of a provider, and the outcome that it must have. */
export type Quirk = {
  name: string;
  response: RawResponse;
  /** The text that the learner receives. */
  text?: string;
  /** The calls of tools as name and input. */
  calls?: readonly (readonly [name: string, input: string])[];
  /**
   * `shared`: the answer becomes a node for the class. `length`, `refusal` and `empty`: a marked private
   * answer. Others are failures, of which nothing is stored.
   */
  ends: "shared" | "length" | "refusal" | "empty" | "unavailable" | "rejected" | "interrupted";
  /** The bill: tokens in, out, read from the cache and written to it; `unknown` is estimated. */
  bill?: readonly [number, number, number, number] | "unknown";
  /** Requests that the provider receives for one call; default 1. */
  requests?: number;
};

/** Of servers that compress although the client accepts only plain bytes. */
export const encodings = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
};

export const jsonResponse = (value: unknown): RawResponse => ({
  headers: { "content-type": "application/json" },
  body: JSON.stringify(value, null, 2),
});

/** Stop reasons, which mean the same in every protocol. */
export const stopReasons: readonly (readonly [reason: string, ends: Quirk["ends"]])[] = [
  ["stop", "shared"],
  ["end_turn", "shared"],
  ["eos", "shared"],
  ["eos_token", "shared"],
  ["STOP", "shared"],
  ["completed", "shared"],
  ["stop_sequence", "shared"],
  ["", "shared"],
  ["FINISH_REASON_STOPPED_BY_ME", "shared"],
  ["length", "length"],
  ["max_tokens", "length"],
  ["MAX_TOKENS", "length"],
  ["model_context_window_exceeded", "length"],
  ["content_filter", "refusal"],
  ["refusal", "refusal"],
  ["SAFETY", "refusal"],
  ["error", "interrupted"],
  ["max-new-tokens", "length"],
  ["content-filter", "refusal"],
  ["sensitive", "refusal"],
  ["abort", "interrupted"],
  ["Network Error", "interrupted"],
  ["insufficient_system_resource", "interrupted"],
  ["FinishReason.STOP", "shared"],
  ["endTurn", "shared"],
  ["FinishReason.MAX_TOKENS", "length"],
  ["FINISH_REASON_MAX_TOKENS", "length"],
  ["maxTokens", "length"],
  ["ERROR_LIMIT", "length"],
  ["content_filter: PROHIBITED_CONTENT", "refusal"],
  ["ERROR_TOXIC", "refusal"],
  ["function_call_filter: MALFORMED_FUNCTION_CALL", "interrupted"],
  ["pause_turn", "interrupted"],
  ["time_limit", "interrupted"],
  ["USER_CANCEL", "interrupted"],
];
