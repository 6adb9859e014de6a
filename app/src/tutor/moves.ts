import { type Text, t } from "../texts.ts";

/** What a learner may say to a question in place of an option, as far as this application has words for it. */
const words = new Map<string, Text>([
  ["@hint", "move.hint"],
  ["@dont_know", "move.dont_know"],
  ["@example", "move.example"],
  ["@simpler", "move.simpler"],
]);

/** A move as people read it; anything else, such as a move that is new to this application, as it is. */
export function moveInWords(move: string): string {
  const text = words.get(move);
  return text ? t(text) : move;
}
