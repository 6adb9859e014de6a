import type { AnswerStop } from "../../schema/enums.ts";
import type { Question, QuestionKey } from "../../schema/question.ts";
import { AnswerReader } from "../dialogue/answer-reader.ts";
import { keyFor } from "../dialogue/read-key.ts";
import type { CallMeter } from "../generations/call-meter.ts";
import { isRefusal, type LlmProvider, type LlmRequest } from "../llm/provider.ts";

/** An answer as a learner would have been told it, and what the model wrote of its question and key. */
export type CandidateAnswer = {
  text: string;
  question?: Question | undefined;
  key?: QuestionKey | undefined;
  writtenKeys: readonly string[];
  stop: AnswerStop | null;
};

/**
 * Asks the LLM once, and reads the answer as a class's is read. A question that cannot be read is not asked for again: that
 * is what a trial is to see. Throws an `LlmError` where there is no whole answer.
 */
export async function askCandidate(
  llm: LlmProvider,
  request: LlmRequest,
  meter: CallMeter,
  signal: AbortSignal,
): Promise<CandidateAnswer> {
  const reader = new AnswerReader();
  const told: string[] = [];
  let call: string | undefined;
  meter.start();
  const events = llm.stream({ ...request, signal, onUsage: (usage) => meter.report(usage) });
  for await (const event of events) {
    if (event.type === "text") {
      meter.addText(event.text);
      told.push(...reader.take(event.text));
    } else if (event.type === "call") {
      meter.addText(event.input);
      call ??= event.input;
    } else {
      meter.report(event, true);
      if (call !== undefined && event.complete) told.push(...reader.ask(call));
      told.push(...reader.end());
      return answerOf(
        reader,
        told,
        event.complete ? null : isRefusal(event.stop_reason) ? "refusal" : "length",
      );
    }
  }
  throw new Error("the LLM's stream ended without its end");
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
    key: question && keyFor(question, keys),
    writtenKeys: keys,
    stop: cutOff ?? (broken ? "malformed" : text.trim() === "" ? "empty" : null),
  };
}
