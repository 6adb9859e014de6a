import { isBlank } from "../../../schema/api/platform/is-blank.ts";
import type { AnswerStop } from "../../../schema/enums.ts";
import type { LlmEndEvent, LlmRequest } from "../../platform/llm/provider.ts";
import { classifyStopReason } from "../../platform/llm/stop-reasons.ts";
import { truncate } from "../../platform/text/truncate.ts";
import { ChunkWriter } from "./chunk-writer.ts";
import { AnswerDraft } from "./draft.ts";
import type { AnswerProducerState } from "./producer-deps.ts";
import { refusalText } from "./refusal-text.ts";

/** In characters, above the provider's token limit. */
const maxDraftCharacters = 500_000;

/** The provider failed, or the producer lost its lease or its time. */
export class AttemptFailed extends Error {}

export async function streamDraft(
  producer: AnswerProducerState,
  request: LlmRequest,
): Promise<{ draft: AnswerDraft; stop: AnswerStop | undefined }> {
  const { db, llm, broadcast, lease, lost, stopped, meter } = producer;
  meter.start();
  const writer = new ChunkWriter(
    db,
    lease,
    (notice) => (notice === "lost" ? lost : stopped).abort(),
    producer.isShared,
  );
  const signal = AbortSignal.any([producer.signal, lost.signal, stopped.signal]);
  const draft = new AnswerDraft(broadcast, writer, producer.carriesQuestion, producer.offered);
  let call: string | undefined;
  try {
    for await (const event of llm.stream({ ...request, signal, ...meter.listeners })) {
      if (event.type === "end") {
        meter.report(event, !event.brokeOff);
        const stop = stopOf(event);
        // A cut answer's tool call is incomplete.
        if (call !== undefined && !stop) draft.ask(call);
        draft.end();
        if (stop === "refusal" && isBlank(draft.chunks.join(""))) draft.add(refusalText(producer.language));
        // The cut also ended its question.
        if (stop) draft.settle(undefined);
        return { draft, stop };
      }
      if (event.type === "call") {
        meter.addText(event.input);
        if (event.name === request.tool?.name) call ??= event.input;
        continue;
      }
      const text = truncate(event.text, maxDraftCharacters - meter.characters);
      meter.addText(text);
      draft.add(text);
      if (text.length < event.text.length) {
        draft.end();
        draft.settle(undefined);
        return { draft, stop: "length" };
      }
    }
    throw new Error("the LLM's stream ended without its end");
  } catch (error) {
    if (stopped.signal.aborted && !lost.signal.aborted) return { draft, stop: "stopped" };
    throw new AttemptFailed("no complete answer", { cause: error });
  } finally {
    await writer.stop();
  }
}

const stopOf = (end: LlmEndEvent): AnswerStop | undefined =>
  end.complete ? undefined : classifyStopReason(end.stop_reason) === "refusal" ? "refusal" : "length";
