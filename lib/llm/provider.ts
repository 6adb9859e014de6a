/** One message of a conversation, as the model is sent it. */
export type LlmMessage = { role: "user" | "assistant"; content: string };

/** What a call is for. A trace of it holds nothing else of the person, and nothing of what was said. */
export type TraceContext = {
  /** Null in what nobody's message asked for. */
  session_id: number | null;
  user_id: number | null;
  prompt_name: string;
  prompt_version: number;
};

/** Something that a model may call in place of words, held to the JSON Schema of its `input` by the provider. */
export type LlmTool = {
  name: string;
  description: string;
  input: { type: "object" } & Record<string, unknown>;
};

/**
 * `signal` ends the call; the stream then throws an `LlmError`. `university_id` says with whose credentials it is made,
 * absent with the platform's; neither it nor `trace` is ever sent to the model. `onUsage` is
 * told what the call has used so far, whenever the provider says it: of a call that breaks off nothing else tells.
 * `temperature` and `max_tokens`, the longest answer, go before what is configured.
 */
export type LlmRequest = {
  model: string;
  university_id?: number;
  system: string;
  messages: LlmMessage[];
  tool?: LlmTool;
  temperature?: number;
  max_tokens?: number;
  signal?: AbortSignal;
  trace?: TraceContext;
  onUsage?: (usage: LlmUsage) => void;
};

/**
 * What a call used, in tokens; 0 where the provider did not say. What was read from the provider's cache, or written
 * to it, is no part of `input_tokens`.
 */
export type LlmUsage = {
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens: number;
  cache_write_tokens: number;
};

export const noUsage: LlmUsage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
};

/** A piece of the answer, as the provider cut it; never empty. */
type LlmText = { type: "text"; text: string };

/** A whole call of the request's tool: its input as JSON, as far as the model wrote it. */
type LlmCall = { type: "call"; input: string };

/**
 * The end of the answer. `complete` is false when the model did not stop by itself: at the token limit,
 * by a filter or a refusal.
 */
export type LlmEnd = LlmUsage & { type: "end"; complete: boolean; stop_reason: string };

export type LlmEvent = LlmText | LlmCall | LlmEnd;

/** Why a provider did not take a question; the status where it gave one, and words that may be logged. */
export type Refusal = { status: number | undefined; reason: string };

/**
 * A source of answers. `stream` sends nothing before it is iterated; it yields texts and calls, then exactly one `end`.
 * Whatever keeps it from the `end` is thrown as an `LlmError`: a stream that just stops is a failure.
 */
export type LlmProvider = {
  name: "direct_api" | "cloud_managed" | "openai_compatible" | "none";
  defaultModel: string;
  stream(request: LlmRequest): AsyncIterable<LlmEvent>;
};

/** One that can be asked, before anyone learns, whether it takes the key and knows the default model: that costs nothing. */
export type AskableProvider = LlmProvider & { ask(signal: AbortSignal): Promise<Refusal | undefined> };

/**
 * - `unavailable`: not now (unreachable, throttled, overloaded, slow to begin); later it may succeed.
 * - `rejected`: not this request, or not with these credentials; the same again fails again.
 * - `interrupted`: the answer began and broke off.
 */
export type LlmErrorKind = "unavailable" | "rejected" | "interrupted";

/**
 * There is no whole answer. The message holds statuses, error codes and request ids, and there is no cause:
 * a client's own error may quote what was sent, and this one is logged.
 */
export class LlmError extends Error {
  override name = "LlmError";
  readonly kind: LlmErrorKind;
  /** After how many seconds the provider wants to be asked again, where it said so. */
  readonly retryAfter: number | undefined;

  constructor(kind: LlmErrorKind, reason: string, retryAfter?: number) {
    super(reason);
    this.kind = kind;
    this.retryAfter = retryAfter;
  }
}

/** It was given up: there was no sign of life for too long, or no end within the time that an answer has. */
export class LlmTimeout extends LlmError {}

/** Whether the model ended its answer itself. */
export function isNormalStop(stopReason: string): boolean {
  return ["end_turn", "stop_sequence", "stop", "tool_use", "tool_calls"].includes(stopReason);
}

/** Whether the model, or a filter before it, would not answer; any other end before the end is one of length. */
export function isRefusal(stopReason: string): boolean {
  return ["refusal", "content_filtered", "content_filter", "guardrail_intervened"].includes(stopReason);
}

/** The provider of a process that has none: every call is `unavailable`, for the given reason. */
export function refusingProvider(reason: string): AskableProvider {
  return {
    ask: async () => ({ status: undefined, reason }),
    name: "none",
    defaultModel: "none",
    // biome-ignore lint/correctness/useYield: it refuses before there is anything to yield
    async *stream() {
      throw new LlmError("unavailable", reason);
    },
  };
}
