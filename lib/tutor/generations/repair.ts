import type { LlmRequest } from "../../platform/llm/provider.ts";
import { parseQuestionOnly, type RepairedQuestion } from "../dialogue/answer-reader.ts";
import { maxRepairedBlockCharacters } from "../dialogue/lenient-json.ts";
import { CallMeter } from "./call-meter.ts";
import type { AnswerDraft } from "./draft.ts";
import { endCallAndStartAnother, endFailedCall } from "./further-call.ts";
import type { AnswerProducerState } from "./producer-deps.ts";

/** Subscribers have the text and wait only for the question. */
const repairSeconds = 30;

/** After an unreadable question. */
const onceMore =
  "The block with the question in your last answer could not be read. Write the question again, and nothing else: one " +
  'block ```mcq that holds valid JSON in the form {"questionId": "...", "question": "...", "options": [{"id": "A", ' +
  '"text": "..."}, {"id": "B", "text": "..."}]}, with at least two options.';

const onceMoreByTool =
  "The call of the tool `ask` in your last answer, or the block that stands there, could not be read. Call the tool `ask` " +
  "with the question again, with at least two options, and say nothing else.";

/**
 * Asks the LLM once for the unreadable question alone, within the answer's time and the university's budget.
 * Undefined without success or the lease. Failures never cost the answer.
 */
export async function repairQuestion(
  producer: AnswerProducerState,
  request: LlmRequest,
  draft: AnswerDraft,
): Promise<RepairedQuestion | undefined> {
  const { config, meter } = producer;
  if ((await endCallAndStartAnother(producer, "question alone")) !== "begun") return undefined;
  const asked: LlmRequest = {
    ...request,
    messages: [
      ...request.messages,
      { role: "assistant", content: `${draft.chunks.join("")}${draft.broken?.raw ?? ""}` },
      { role: "user", content: request.tool ? onceMoreByTool : onceMore },
    ],
  };
  producer.meter = new CallMeter(asked, config.LLM_PRICES, meter);
  try {
    return parseQuestionOnly(await said(producer, asked));
  } catch (error) {
    await endFailedCall(producer, error, "the LLM failed to repair an unreadable question");
    return undefined;
  }
}

/** The model's text, or the JSON of its tool call. */
async function said(
  { llm, meter, signal, lost, stopped }: AnswerProducerState,
  request: LlmRequest,
): Promise<string> {
  let text = "";
  let isCalled = false;
  meter.start();
  const limits = [signal, lost.signal, stopped.signal, AbortSignal.timeout(repairSeconds * 1000)];
  const events = llm.stream({
    ...request,
    signal: AbortSignal.any(limits),
    ...meter.listeners,
  });
  for await (const event of events) {
    if (event.type === "end") {
      meter.report(event, !event.brokeOff);
      return text;
    }
    const more = event.type === "call" ? event.input : event.text;
    meter.addText(more);
    // The first call counts, even if text comes with it.
    if (isCalled) continue;
    if (event.type === "text") text += more;
    else if (event.name === request.tool?.name) {
      text = more;
      isCalled = true;
    }
    // Too long for a question block.
    if (text.length > 2 * maxRepairedBlockCharacters) return "";
  }
  throw new Error("the LLM's stream ended without its end");
}
