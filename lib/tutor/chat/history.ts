import type { QuestionKey } from "../../../schema/question.ts";
import type { LlmMessage } from "../../platform/llm/provider.ts";
import { splitWordsAndQuestion } from "../dialogue/answer-reader.ts";
import { classifyLearnerMessage } from "../dialogue/message-kind.ts";
import { moveRequest } from "../dialogue/move-requests.ts";
import { isMove } from "../dialogue/moves.ts";
import { formatKeyBlock, orderedKeyFields } from "../dialogue/read-key.ts";
import { askQuestionTool } from "./ask-tool.ts";

/** A question with its move, and the answer with its question's key. */
export type Exchange = {
  question: string;
  move?: string;
  answer: string;
  key?: QuestionKey | null;
  /** In the path that an aside interrupts. */
  before_aside?: boolean;
};

export type HistoryFormatOptions = { hasTool: boolean; language: string };

/** The learner's message. A move is always phrased the same, also in the history. */
export const learnerMessageText = (
  { question, move }: Pick<Exchange, "question" | "move">,
  { language }: Pick<HistoryFormatOptions, "language">,
): string => (move !== undefined && isMove(move) ? moveRequest(move, language) : question);

/** The model sees its own keys, which learners never do. */
export const answerWithKeyBlock = ({ answer, key }: Pick<Exchange, "answer" | "key">): string =>
  key ? `${answer}\n\n${formatKeyBlock(key)}` : answer;

/** Ends with the learner's `message` and its `context`. */
export function conversationMessages(
  exchanges: readonly Exchange[],
  { message, context }: { message: string; context: string },
  wording: HistoryFormatOptions,
): LlmMessage[] {
  if (wording.hasTool) return messagesWithCalls(exchanges, { message, context }, wording);
  return [
    ...exchanges.flatMap((exchange): LlmMessage[] => [
      { role: "user", content: learnerMessageText(exchange, wording) },
      { role: "assistant", content: answerWithKeyBlock(exchange) },
    ]),
    { role: "user", content: message + context },
  ];
}

/** A question's result if the learner wrote something else. */
const notChosen = "The learner chose no option.";

/** Questions are tool calls; the learner's next message is the result. */
function messagesWithCalls(
  exchanges: readonly Exchange[],
  last: { message: string; context: string },
  wording: HistoryFormatOptions,
): LlmMessage[] {
  const messages: LlmMessage[] = [];
  let open: string | undefined;
  const addLearners = (text: string, context = "") => {
    const isChoice = classifyLearnerMessage(text).kind === "answer";
    messages.push({
      role: "user",
      content: open && isChoice ? context.trim() : text + context,
      ...(open && { result: { id: open, content: isChoice ? text : notChosen } }),
    });
    open = undefined;
  };
  for (const [at, exchange] of exchanges.entries()) {
    addLearners(learnerMessageText(exchange, wording));
    const { words, question } = splitWordsAndQuestion(exchange.answer);
    if (!question) {
      messages.push({ role: "assistant", content: answerWithKeyBlock(exchange) });
      continue;
    }
    open = callId(at);
    const input = { ...question, ...(exchange.key && { key: orderedKeyFields(exchange.key) }) };
    messages.push({
      role: "assistant",
      content: words,
      call: { id: open, name: askQuestionTool.name, input },
    });
  }
  addLearners(last.message, last.context);
  return messages;
}

/** Nine letters and digits: every provider accepts them. */
const callId = (number: number): string => `ask${String(number).padStart(6, "0")}`;
