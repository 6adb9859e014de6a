import { noteOnRequest } from "../request-record.ts";
import type { LlmProvider } from "./provider.ts";

/** The same provider, which notes the time that an answer takes on the record of its request. */
export function timedProvider(provider: LlmProvider): LlmProvider {
  return {
    ...provider,
    async *stream(request) {
      const started = performance.now();
      try {
        yield* provider.stream(request);
      } finally {
        noteOnRequest({ llm_ms: performance.now() - started });
      }
    },
  };
}
