import type { Question, QuestionKey } from "../../../schema/question.ts";
import type { Exchange } from "../chat/history.ts";
import { findLastQuestion } from "../dialogue/answer-reader.ts";
import { isMove } from "../dialogue/moves.ts";
import type { ConversationPoint } from "./request.ts";

export type CarriedQuestion = { question: Question | undefined; key: QuestionKey | undefined };

/** The question that an answer repeats after a learner's move. */
export function findCarriedQuestion({ message, exchanges }: ConversationPoint): CarriedQuestion | undefined {
  if (!isMove(message)) return undefined;
  const asked = askedIn(exchanges);
  return { question: asked && findLastQuestion(asked.answer), key: asked?.key ?? undefined };
}

const askedIn = (exchanges: readonly Exchange[]): Exchange | undefined =>
  exchanges.findLast(({ question }) => !isMove(question));
