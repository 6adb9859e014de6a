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

/** A request of a batch, by the id of its call. */
export type BatchRequest = { call: number; request: LlmRequest };

/** A batch as it was sent: the `marker` is in it, so that it is told from others, and no other batch has the same. */
export type SentBatch = { marker: string; sentAt: Date; requests: number };

/** `working` until all is answered or given up; `lost` where the provider knows of no such batch. */
export type BatchState = "working" | "ended" | "lost";

/** What became of a request: the events of its answer, or why there is none. What was cancelled or has expired costs nothing. */
export type BatchResult = { call: number } & ({ events: LlmEvent[] } | { failure: BatchFailure });

export type BatchFailure = { kind: LlmErrorKind; reason: string };

/**
 * A provider's interface for calls that may take a day, at a part of the price. Each verb may throw an `LlmError`: one of
 * the kind `rejected` would fail again.
 */
export type LlmBatches = {
  /** Answers the provider's id of the batch. */
  send(
    batch: Pick<SentBatch, "marker">,
    requests: readonly BatchRequest[],
    signal: AbortSignal,
  ): Promise<string>;
  /**
   * Looks for a batch whose sending has not been answered, where nobody knows whether it arrived: its id, `none` where there is
   * none, `unclear` while that cannot be told. `known` are the ids of other batches.
   */
  find(
    batch: SentBatch,
    known: readonly string[],
    signal: AbortSignal,
  ): Promise<{ id: string } | "none" | "unclear">;
  look(id: string, signal: AbortSignal): Promise<BatchState>;
  /** What became of the requests of a batch that has ended, in any order, and of some perhaps twice or not at all. */
  results(id: string, marker: string, signal: AbortSignal): AsyncIterable<BatchResult>;
  /** Ends a batch: what was not begun is not answered. One that has ended stays as it is. */
  cancel(id: string, signal: AbortSignal): Promise<void>;
  /** Tries what a batch takes, as far as that costs nothing and leaves nothing behind. */
  check(signal: AbortSignal): Promise<void>;
};

/**
 * A source of answers. `stream` sends nothing before it is iterated; it yields texts and calls, then exactly one `end`.
 * Whatever keeps it from the `end` is thrown as an `LlmError`: a stream that just stops is a failure.
 */
export type LlmProvider = {
  name: "direct_api" | "cloud_managed" | "openai_compatible" | "none";
  defaultModel: string;
  stream(request: LlmRequest): AsyncIterable<LlmEvent>;
  /** Where the provider has such an interface, and the operator lets it be used. */
  batches?: LlmBatches;
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
