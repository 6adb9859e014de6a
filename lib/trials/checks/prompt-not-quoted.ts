import type { Check } from "./checked-answer.ts";
import { proseOf, runsOf } from "./words.ts";

/** Whether it quotes no eight words in a row of the prompt; what fills the placeholders is no part of that. */
export const promptNotQuoted: Check = ({ text }, { template }) => {
  const parts = template.split(/\{\{[^{}]*\}\}/);
  const told = new Set(parts.flatMap(runsOf));
  if (told.size === 0) return undefined;
  const quoted = runsOf(proseOf(text)).find((run) => told.has(run));
  return quoted === undefined ? null : `The answer quotes its prompt: “${quoted}”`;
};
