import { type TextKey, t } from "../texts.ts";

/** Labels of the moves that a learner can choose instead of an option. */
const words = new Map<string, TextKey>([
  ["@hint", "move.hint"],
  ["@dont_know", "move.dont_know"],
  ["@example", "move.example"],
  ["@simpler", "move.simpler"],
  ["@my_words", "move.my_words"],
]);

/** A move's label. Unknown moves are returned unchanged. */
export function dialogueMoveLabel(move: string): string {
  const text = words.get(move);
  return text ? t(text) : move;
}
