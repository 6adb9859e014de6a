import type { LlmEndEvent, LlmUsage } from "./provider.ts";

/** An `unknown` reason counts as a normal end: servers invent names for it. */
export type AnswerEnding = "normal" | "length" | "refusal" | "failure" | "unknown";

/** As `nameOf` spells them. Servers of one protocol use names of the others. */
const reasons: Record<Exclude<AnswerEnding, "unknown">, readonly string[]> = {
  normal: [
    ...["", "stop", "end_turn", "stop_sequence", "eos", "eos_token", "completed", "complete", "finished"],
    ...["tool_use", "tool_calls", "function_call"],
  ],
  length: [
    ...["length", "max_tokens", "max_output_tokens", "max_length", "token_limit", "model_length"],
    ...["model_context_window_exceeded", "context_window_exceeded", "context_length_exceeded"],
    ...["context_length", "max_new_tokens", "max_completion_tokens", "max_tokens_reached", "maxtokens"],
    ...["error_limit"],
  ],
  refusal: [
    ...["refusal", "content_filter", "content_filtered", "guardrail_intervened"],
    ...["safety", "image_safety", "recitation", "prohibited_content", "blocklist", "spii"],
    ...["sensitive", "content_policy_violation", "policy_violation", "blocked", "moderation"],
    ...["error_toxic", "image_prohibited_content"],
  ],
  failure: [
    ...["error", "server_error", "network_error", "model_error", "failed", "timeout"],
    ...["abort", "aborted", "cancelled", "canceled", "insufficient_system_resource"],
    ...["malformed_model_output", "malformed_tool_use", "malformed_function_call", "unexpected_tool_call"],
    ...["malformed_response", "too_many_tool_calls", "pause_turn", "time_limit", "user_cancel"],
  ],
};

const endings = new Map(
  Object.entries(reasons).flatMap(([ending, names]) => names.map((name) => [name, ending as AnswerEnding])),
);

/** `maxTokens` and `FINISH_REASON_MAX_TOKENS` become `max_tokens`. */
const nameOf = (said: string): string =>
  said
    .trim()
    .replaceAll(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replaceAll(/[\s-]+/g, "_")
    .replace(/^(?:finish|stop)_reason_/, "");

/** Also the parts of names such as `FinishReason.STOP` and `content_filter: SAFETY`. */
export function classifyStopReason(stopReason: string): AnswerEnding {
  const parts = stopReason.split(/[.:]/).map(nameOf);
  const names = [nameOf(stopReason), ...parts.filter((part) => part !== "")];
  const [known] = names.flatMap((name) => endings.get(name) ?? []);
  return known ?? "unknown";
}

const pending = new Set(["null", "none", "not_finished", "in_progress", "unspecified"]);

/** Some servers send a word with each chunk until the last one. */
export const isPendingStopReason = (stopReason: string): boolean => pending.has(nameOf(stopReason));

export function createEndEvent(said: unknown, usage: LlmUsage): LlmEndEvent {
  const stop_reason = typeof said === "string" ? said : "";
  return {
    type: "end",
    complete: ["normal", "unknown"].includes(classifyStopReason(stop_reason)),
    stop_reason,
    ...usage,
  };
}
