import type { CheckResults } from "../../../../schema/db/tutor/trials.ts";
import type { TrialPersona } from "../../../../schema/enums.ts";
import type { Exchange } from "../../chat/history.ts";
import type { CandidateAnswer } from "../../checks/checked-answer.ts";
import { findLastQuestion } from "../../dialogue/answer-reader.ts";
import { isMove } from "../../dialogue/moves.ts";
import { maxPersonaTurns, nextPersonaMessage } from "./personas.ts";

export type TrialConversation = {
  persona: TrialPersona;
  message: string;
  exchanges: readonly Exchange[];
  checks: CheckResults | null;
};

export type TrialTurnResult = { exchanges: Exchange[]; message: string | undefined; checks: CheckResults };

/** A cut answer or an unreadable question ends the conversation, as in a class. */
export function continueTrialConversation(
  talk: TrialConversation,
  answer: CandidateAnswer,
  found: CheckResults,
): TrialTurnResult {
  const { persona, message, exchanges } = talk;
  const turn = exchanges.length + 1;
  const { text, question, key, stop } = answer;
  const asked = [...exchanges, exchangeOf(message, text, key)];
  const said =
    stop === null && turn < maxPersonaTurns
      ? nextPersonaMessage(persona, { question, key, turn, times: timesAsked(talk, question) })
      : undefined;
  return { exchanges: asked, message: said, checks: merged(talk.checks ?? {}, found, turn) };
}

const exchangeOf = (question: string, answer: string, key: CandidateAnswer["key"]): Exchange => ({
  question,
  answer,
  ...(isMove(question) && { move: question }),
  ...(key && { key }),
});

/** Consecutive answers with this question. Moves and repeats keep it. */
function timesAsked(
  { message, exchanges }: TrialConversation,
  question: CandidateAnswer["question"],
): number {
  const before = exchanges.toReversed();
  const isSame = (one: Exchange) => JSON.stringify(findLastQuestion(one.answer)) === JSON.stringify(question);
  let times = 1;
  let said = message;
  for (const one of before) {
    if (!isMove(said) && !isSame(one)) return times;
    times += 1;
    said = one.question;
  }
  return times;
}

function merged(before: CheckResults, found: CheckResults, turn: number): CheckResults {
  const told = Object.entries(found).map(([name, fault]) => {
    const former = before[name as keyof CheckResults];
    return [name, former ?? (typeof fault === "string" ? `Turn ${turn}: ${fault}` : null)];
  });
  return { ...before, ...Object.fromEntries(told) };
}
