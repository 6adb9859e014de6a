import { isBlank } from "../../../schema/api/platform/is-blank.ts";
import type { LlmEvent, LlmProvider, LlmRequest } from "../../platform/llm/provider.ts";
import { classifyStopReason } from "../../platform/llm/stop-reasons.ts";
import type { CandidateAnswer } from "../checks/checked-answer.ts";
import { AnswerReader } from "../dialogue/answer-reader.ts";
import { parseAnswerKey } from "../dialogue/read-key.ts";
import type { CallMeter } from "../generations/call-meter.ts";
import type { CarriedQuestion } from "./carried-question.ts";

/** Throws an `LlmError` without a complete answer. */
export type AskModel<Answer> = (
  llm: LlmProvider,
  request: LlmRequest,
  meter: CallMeter,
  signal: AbortSignal,
) => Promise<Answer>;

/**
 * As for a class, but an unreadable question is not retried: trials measure that. After a move the open
 * question stays; the model's question is ignored.
 */
export const askModelForCandidate =
  (carried: CarriedQuestion | undefined): AskModel<CandidateAnswer> =>
  async (llm, request, meter, signal) => {
    const reader = carried ? new AnswerReader(() => "") : new AnswerReader();
    const told: string[] = [];
    let call: string | undefined;
    for await (const event of metered(llm, request, meter, signal)) {
      if (event.type === "text") told.push(...reader.take(event.text));
      else if (event.type === "call") {
        if (event.name === request.tool?.name) call ??= event.input;
      } else {
        if (call !== undefined && event.complete) told.push(...reader.ask(call));
        told.push(...reader.end());
        const stop = event.complete
          ? null
          : classifyStopReason(event.stop_reason) === "refusal"
            ? "refusal"
            : "length";
        return carried ? { ...answerOf(reader, told, stop), ...carried } : answerOf(reader, told, stop);
      }
    }
    throw withoutEnd();
  };

export const askModelForText: AskModel<string> = async (llm, request, meter, signal) => {
  let text = "";
  for await (const event of metered(llm, request, meter, signal)) {
    if (event.type === "text") text += event.text;
    else if (event.type === "end") return text;
  }
  throw withoutEnd();
};

const withoutEnd = () => new Error("the LLM's stream ended without its end");

async function* metered(
  llm: LlmProvider,
  request: LlmRequest,
  meter: CallMeter,
  signal: AbortSignal,
): AsyncIterable<LlmEvent> {
  meter.start();
  for await (const event of llm.stream({ ...request, signal, ...meter.listeners })) {
    if (event.type === "end") meter.report(event, !event.brokeOff);
    else meter.addText(event.type === "text" ? event.text : event.input);
    yield event;
  }
}

function answerOf(
  { broken, question, keys }: AnswerReader,
  told: readonly string[],
  cutOff: "refusal" | "length" | null,
): CandidateAnswer {
  const text = [...told, broken ? `${broken.gap}${broken.raw}${broken.after}` : ""].join("");
  return {
    text,
    question,
    key: question && parseAnswerKey(question, keys),
    writtenKeys: keys,
    stop: cutOff ?? (broken ? "malformed" : isBlank(text) ? "empty" : null),
  };
}
