import type { QuestionKey } from "../../../schema/question.ts";
import type { LlmMessage } from "../../platform/llm/provider.ts";
import { splitQuestion } from "../dialogue/answer-reader.ts";
import { kindOf } from "../dialogue/message-kind.ts";
import { moveRequest } from "../dialogue/move-requests.ts";
import { isMove } from "../dialogue/moves.ts";
import { keyBlock, keyFields } from "../dialogue/read-key.ts";
import { askTool } from "./ask-tool.ts";

/** A question with its move, and the answer with its question's key. */
export type Exchange = {
  question: string;
  move?: string;
  answer: string;
  key?: QuestionKey | null;
  /** In the path that an aside interrupts. */
  before_aside?: boolean;
};

export type Wording = { hasTool: boolean; language: string };

/** The learner's message. A move is always phrased the same, also in the history. */
export const asked = (
  { question, move }: Pick<Exchange, "question" | "move">,
  { language }: Pick<Wording, "language">,
): string => (move !== undefined && isMove(move) ? moveRequest(move, language) : question);

/** The model sees its own keys, which learners never do. */
export const withKey = ({ answer, key }: Pick<Exchange, "answer" | "key">): string =>
  key ? `${answer}\n\n${keyBlock(key)}` : answer;

/** Ends with the learner's `message` and its `context`. */
export function conversationMessages(
  exchanges: readonly Exchange[],
  { message, context }: { message: string; context: string },
  wording: Wording,
): LlmMessage[] {
  if (wording.hasTool) return messagesWithCalls(exchanges, { message, context }, wording);
  return [
    ...exchanges.flatMap((exchange): LlmMessage[] => [
      { role: "user", content: asked(exchange, wording) },
      { role: "assistant", content: withKey(exchange) },
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
  wording: Wording,
): LlmMessage[] {
  const messages: LlmMessage[] = [];
  let open: string | undefined;
  const addLearners = (text: string, context = "") => {
    const isChoice = kindOf(text).kind === "answer";
    messages.push({
      role: "user",
      content: open && isChoice ? context.trim() : text + context,
      ...(open && { result: { id: open, content: isChoice ? text : notChosen } }),
    });
    open = undefined;
  };
  for (const [at, exchange] of exchanges.entries()) {
    addLearners(asked(exchange, wording));
    const { words, question } = splitQuestion(exchange.answer);
    if (!question) {
      messages.push({ role: "assistant", content: withKey(exchange) });
      continue;
    }
    open = callId(at);
    const input = { ...question, ...(exchange.key && { key: keyFields(exchange.key) }) };
    messages.push({ role: "assistant", content: words, call: { id: open, name: askTool.name, input } });
  }
  addLearners(last.message, last.context);
  return messages;
}

/** Nine letters and digits: every provider accepts them. */
const callId = (number: number): string => `ask${String(number).padStart(6, "0")}`;
