import type { LlmEnd, LlmProvider, LlmUsage, TraceContext } from "./provider.ts";

export type TracedCall = TraceContext & {
  provider: LlmProvider["name"];
  model: string;
  started_at: Date;
};

/** `cut off`: the model stopped early, or the reader gave up. */
export type TracedOutcome = Partial<Pick<LlmEnd, "stop_reason" | keyof LlmUsage>> & {
  end: "complete" | "cut off" | "failed";
  reason?: string;
  first_chunk_at: Date | undefined;
  ended_at: Date;
};

/** Traces LLM calls. Never throws. */
export type Tracer = {
  /** Traces a call's start; the returned function traces its end and returns immediately. */
  begin(call: TracedCall): (outcome: TracedOutcome) => void;
  /** Sends pending traces, within half a second, if they would otherwise be lost. */
  flush(): Promise<void>;
  /** Sends the rest, within half a second. */
  close(): Promise<void>;
};

export const noTracer: Tracer = {
  begin: () => () => {},
  flush: async () => {},
  close: async () => {},
};
