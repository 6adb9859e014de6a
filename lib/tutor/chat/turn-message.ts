import type { Question } from "../../../schema/question.ts";
import { isAnswerOffered, resolveMoveMessage } from "../dialogue/choices.ts";
import type { MessageKind } from "../dialogue/message-kind.ts";
import { isMove } from "../dialogue/moves.ts";

/** A message as `open_turn` (chat-turns.sql) takes it. */
export type NormalizedMessage = {
  message: string | null;
  loose: string | null;
  move: string | null;
  offered: boolean | null;
};

/** A repeated message whose question is unknown counts as free text. */
const freeText: NormalizedMessage = { message: null, loose: null, move: null, offered: null };

/** Before comparison with the session's questions. */
export function toNormalizedMessage(kind: MessageKind): NormalizedMessage {
  if (kind.kind === "free") return freeText;
  return {
    message: kind.normalForm,
    loose: kind.kind === "start" ? null : (kind.looseForm ?? null),
    move: kind.kind === "move" ? kind.move : null,
    offered: null,
  };
}

/**
 * After comparison with the session's questions, a move with the last one. "no such move" if the move is not
 * offered, unless the message is repeated (`isAgain`).
 */
export function matchMessageToQuestions(
  kind: MessageKind,
  questions: readonly Question[],
  { hasKey, isAgain }: { hasKey: boolean; isAgain: boolean },
): NormalizedMessage | "no such move" {
  const said = toNormalizedMessage(kind);
  if (kind.kind === "answer") return { ...said, offered: isAnswerOffered(kind, questions) };
  if (kind.kind !== "move") return said;
  const meant = resolveMoveMessage(kind, questions[0], { hasKey });
  if (meant !== undefined && !isMove(meant))
    return { message: meant, loose: null, move: null, offered: true };
  if (meant !== undefined || (isAgain && isMove(kind.move))) return { ...said, offered: true };
  return isAgain ? freeText : "no such move";
}
