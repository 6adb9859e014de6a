import type { Logger } from "../logging/log.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { LlmEvent, LlmProvider, LlmRequest } from "./provider.ts";
import { endingOf } from "./stop-reasons.ts";

type Watch = { log: Logger; metrics: Pick<Metrics, "unknownStop"> };

/** The provider with reports to operators: an unknown stop reason is counted, and logged once per model. */
export function watchedProvider(provider: LlmProvider, { log, metrics }: Watch): LlmProvider {
  const logged = new Set<string>();
  const note = (model: string, reason: string) => {
    metrics.unknownStop(model);
    if (logged.has(model)) return;
    logged.add(model);
    log.warn({ model, stop_reason: asWord(reason) }, "the LLM ends answers with an unknown stop reason");
  };
  return {
    ...provider,
    async *stream(request: LlmRequest): AsyncGenerator<LlmEvent, void> {
      for await (const event of provider.stream(request)) {
        if (event.type === "end" && endingOf(event.stop_reason) === "unknown")
          note(request.model, event.stop_reason);
        yield event;
      }
    },
  };
}

/** A reason is one word. Anything else is text of the provider, which is not logged. */
const asWord = (reason: string): string => (/^[\w.:-]{1,40}$/.test(reason) ? reason : "no word");
