import type { Question } from "../../../schema/question.ts";
import { quoteOnOneLine } from "../../platform/text/single-line.ts";
import { truncate } from "../../platform/text/truncate.ts";
import { findLastQuestion } from "../dialogue/answer-reader.ts";
import { isMove } from "../dialogue/moves.ts";
import type { Exchange } from "./history.ts";

/** Of the open question, in characters. */
const maxQuotedQuestionCharacters = 240;

/** Tells the model that the turn is an aside, and which question of the path stays open. */
export function asidePromptNote(exchanges: readonly Exchange[]): string {
  const open = openQuestion(exchanges);
  const { questionId = "", question = "" } = open ?? {};
  const settled = open
    ? ` The question ${quoteOnOneLine(questionId)} of the path, ${quoteOnOneLine(truncate(question, maxQuotedQuestionCharacters))}, stays open: ` +
      "nothing of it is settled here. Neither name nor quote its right option, confirm none and rule none out."
    : "";
  return `\n\n--- This is an aside: afterwards the learner goes on where the path was.${settled} Answer what they wrote. Ask no second question: write no question block and call no tool.`;
}

/** The path's last question. A move's answer leaves it open. */
function openQuestion(exchanges: readonly Exchange[]): Question | undefined {
  const last = exchanges.findLast(
    ({ before_aside, move }) => before_aside && !(move !== undefined && isMove(move)),
  );
  return last && findLastQuestion(last.answer);
}
