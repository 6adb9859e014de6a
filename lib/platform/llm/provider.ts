import type { LlmProblem } from "./problems.ts";

/** An assistant's call of a tool. The next message has its result. */
export type AssistantToolCall = { id: string; name: string; input: Readonly<Record<string, unknown>> };

/** `content` may be empty next to a `call` or a `result`. */
export type LlmMessage =
  | { role: "user"; content: string; result?: { id: string; content: string } }
  | { role: "assistant"; content: string; call?: AssistantToolCall };

export const messageText = (message: LlmMessage): string =>
  message.role === "user"
    ? (message.result?.content ?? "") + message.content
    : message.content + (message.call ? JSON.stringify(message.call.input) : "");

/** Metadata for tracing. Contains no other personal data and no messages. */
export type LlmTraceMetadata = {
  session_id: number | null;
  user_id: number | null;
  prompt_name: string;
  prompt_version: number;
};

/** The provider enforces the JSON Schema of `input`. */
export type LlmTool = {
  name: string;
  description: string;
  input: { type: "object" } & Record<string, unknown>;
};

/**
 * `signal` aborts the call with an `LlmError`. `university_id` selects the credentials (absent: the
 * platform's). Neither it nor `trace` reaches the model. `onUsage` receives the usage so far, and `onReceived`
 * the number of characters of each piece, thoughts included: the only sources for an interrupted call.
 * `temperature` and `max_tokens` override the configuration.
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
  trace?: LlmTraceMetadata;
  onUsage?: (usage: LlmUsage) => void;
  onReceived?: (characters: number) => void;
};

/** In tokens; 0 if not reported. `input_tokens` excludes the provider's cache. */
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

/** Never empty. */
type LlmText = { type: "text"; text: string };

export type LlmToolCallEvent = { type: "call"; name: string; input: string };

/** `complete` is false after the token limit, a filter or a refusal. `brokeOff`: the usage may not be final. */
export type LlmEndEvent = LlmUsage & {
  type: "end";
  complete: boolean;
  stop_reason: string;
  brokeOff?: true;
};

export type LlmEvent = LlmText | LlmToolCallEvent | LlmEndEvent;

export type LlmProbeFailure = {
  status: number | undefined;
  reason: string;
  problem?: LlmProblem | undefined;
};

export type BatchRequest = { call: number; request: LlmRequest };

/** The `marker` is unique and part of the batch's requests. */
export type SentBatch = { marker: string; sentAt: Date; requests: number };

/** `lost`: the provider does not know the batch. */
export type BatchState = "working" | "ended" | "lost";

/** The answer's events, or the failure. Cancelled and expired requests are free. */
export type BatchResult = { call: number } & ({ events: LlmEvent[] } | { failure: BatchFailure });

export type BatchFailure = { kind: LlmErrorKind; reason: string };

/** Cheaper calls that may take a day. May throw an `LlmError`. */
export type LlmBatches = {
  send(
    batch: Pick<SentBatch, "marker">,
    requests: readonly BatchRequest[],
    signal: AbortSignal,
  ): Promise<string>;
  /**
   * Finds a batch whose send got no response: its id, `none`, or `unclear` if it is too early. `known` are
   * ids of other batches.
   */
  find(
    batch: SentBatch,
    known: readonly string[],
    signal: AbortSignal,
  ): Promise<{ id: string } | "none" | "unclear">;
  look(id: string, signal: AbortSignal): Promise<BatchState>;
  /** In any order; some may be duplicated or missing. */
  results(id: string, marker: string, signal: AbortSignal): AsyncIterable<BatchResult>;
  cancel(id: string, signal: AbortSignal): Promise<void>;
  /** Checks the setup without cost or side effects. */
  check(signal: AbortSignal): Promise<void>;
};

/**
 * `stream` is lazy: it yields texts and calls, then exactly one `end`. Any failure, including an early stop,
 * throws an `LlmError`.
 */
export type LlmProvider = {
  name: "direct_api" | "cloud_managed" | "openai_compatible" | "none";
  defaultModel: string;
  stream(request: LlmRequest): AsyncIterable<LlmEvent>;
  batches?: LlmBatches;
};

export type ProbeableProvider = LlmProvider & {
  ask(signal: AbortSignal): Promise<LlmProbeFailure | undefined>;
};

/**
 * - `unavailable`: unreachable, throttled, overloaded or slow to begin; a retry may succeed.
 * - `rejected`: invalid request or credentials; a retry would fail again.
 * - `interrupted`: the answer began and broke off.
 */
export type LlmErrorKind = "unavailable" | "rejected" | "interrupted";

/**
 * The message has only statuses, error codes and request ids. No cause: a client's error may quote prompts.
 */
export class LlmError extends Error {
  override name = "LlmError";
  readonly kind: LlmErrorKind;
  /** Seconds, if the provider sent it. */
  readonly retryAfter: number | undefined;
  readonly problem: LlmProblem | undefined;

  constructor(kind: LlmErrorKind, reason: string, retryAfter?: number, problem?: LlmProblem) {
    super(reason);
    this.kind = kind;
    this.retryAfter = retryAfter;
    this.problem = problem;
  }
}

export class LlmTimeout extends LlmError {}

/** An exception of this service's code while it read the answer. */
export class LlmReaderError extends LlmError {
  override name = "LlmReaderError";

  constructor(provider: string, { name, stack = "" }: Error) {
    super("interrupted", `${provider}: this service could not read the answer (${name})`);
    // Not the message, which may quote the answer.
    this.stack = [this.message, ...(stack.match(/^ {4}at .+$/gm) ?? [])].join("\n");
  }
}

export function refusingProvider(reason: string): ProbeableProvider {
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
