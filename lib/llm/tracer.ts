import type { LlmEnd, LlmProvider, LlmUsage, TraceContext } from "./provider.ts";

/** A call of the LLM from its first moment. */
export type TracedCall = TraceContext & {
  provider: LlmProvider["name"];
  model: string;
  started_at: Date;
};

/** `cut off` is an answer that is not whole: the model was stopped, or whoever read it gave up. */
export type TracedOutcome = Partial<Pick<LlmEnd, "stop_reason" | keyof LlmUsage>> & {
  end: "complete" | "cut off" | "failed";
  /** Why it failed, in words that may be stored. */
  reason?: string;
  /** When its first chunk came; absent when none did. */
  first_chunk_at: Date | undefined;
  ended_at: Date;
};

/** Where calls of the LLM are followed. Nothing here ever throws, whatever becomes of the traces. */
export type Tracer = {
  /** Takes the start of a call and gives what takes its end, which returns at once. */
  begin(call: TracedCall): (outcome: TracedOutcome) => void;
  /** Waits, for half a second at most, for traces that would otherwise not get out of this process. */
  flush(): Promise<void>;
  /** Sends what is left, within half a second. */
  close(): Promise<void>;
};

/** For a deployment that follows nothing. */
export const noTracer: Tracer = {
  begin: () => () => {},
  flush: async () => {},
  close: async () => {},
};
