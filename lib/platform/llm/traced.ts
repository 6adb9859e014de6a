import {
  type LlmEndEvent,
  LlmError,
  type LlmEvent,
  type LlmProvider,
  type LlmRequest,
  type LlmTraceMetadata,
} from "./provider.ts";
import { noTracer, type TracedOutcome, type Tracer } from "./tracer.ts";

/** Traces requests that have a `trace`. */
export function tracedProvider(provider: LlmProvider, tracer: Tracer): LlmProvider {
  if (tracer === noTracer) return provider;
  return {
    ...provider,
    stream: (request) =>
      request.trace ? follow(provider, request, request.trace, tracer) : provider.stream(request),
  };
}

async function* follow(
  provider: LlmProvider,
  request: LlmRequest,
  context: LlmTraceMetadata,
  tracer: Tracer,
): AsyncGenerator<LlmEvent, void> {
  const started_at = new Date();
  const ended = tracer.begin({ ...context, provider: provider.name, model: request.model, started_at });
  let first_chunk_at: Date | undefined;
  let outcome: Outcome = { end: "cut off" };
  try {
    for await (const event of provider.stream(request)) {
      if (event.type === "end") outcome = outcomeOf(event);
      else first_chunk_at ??= new Date();
      yield event;
    }
  } catch (error) {
    outcome = failureOf(error);
    throw error;
  } finally {
    ended({ ...outcome, first_chunk_at, ended_at: new Date() });
  }
}

type Outcome = Omit<TracedOutcome, "first_chunk_at" | "ended_at">;

const outcomeOf = ({ type: _, complete, ...said }: LlmEndEvent): Outcome => ({
  end: complete ? "complete" : "cut off",
  ...said,
});

/** Errors other than the provider's may quote prompts. */
const failureOf = (error: unknown): Outcome => ({
  end: "failed",
  reason: error instanceof LlmError ? error.message : "unexpected error",
});
