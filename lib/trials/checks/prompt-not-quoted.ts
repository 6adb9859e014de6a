import type { Check } from "./checked-answer.ts";
import { proseOf, wordsOf } from "./words.ts";

/** So many words in a row are no accident. */
const wordsInARow = 8;

const runsOf = (text: string): string[] => {
  const words = wordsOf(text);
  return words
    .slice(0, Math.max(0, words.length - wordsInARow + 1))
    .map((_, at) => words.slice(at, at + wordsInARow).join(" "));
};

/** Whether it quotes no eight words in a row of the prompt; what fills the placeholders is no part of that. */
export const promptNotQuoted: Check = ({ text }, { template }) => {
  const parts = template.split(/\{\{[^{}]*\}\}/);
  const told = new Set(parts.flatMap(runsOf));
  if (told.size === 0) return undefined;
  const quoted = runsOf(proseOf(text)).find((run) => told.has(run));
  return quoted === undefined ? null : `The answer quotes its prompt: “${quoted}”`;
};
