import type { LlmEndEvent, LlmProvider, LlmTraceMetadata, LlmUsage } from "./provider.ts";

export type TracedCall = LlmTraceMetadata & {
  provider: LlmProvider["name"];
  model: string;
  started_at: Date;
};

/** `cut off`: the model stopped early, or the reader gave up. */
export type TracedOutcome = Partial<Pick<LlmEndEvent, "stop_reason" | keyof LlmUsage>> & {
  end: "complete" | "cut off" | "failed";
  reason?: string;
  first_chunk_at: Date | undefined;
  ended_at: Date;
};

/** Never throws. */
export type Tracer = {
  /** The returned function traces the call's end and returns immediately. */
  begin(call: TracedCall): (outcome: TracedOutcome) => void;
  /** Sends traces that would otherwise be lost, within half a second. */
  flush(): Promise<void>;
  /** Sends the rest, within half a second. */
  close(): Promise<void>;
};

export const noTracer: Tracer = {
  begin: () => () => {},
  flush: async () => {},
  close: async () => {},
};
