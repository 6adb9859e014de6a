import type { Check } from "./checked-answer.ts";
import { proseOf, wordNgrams } from "./words.ts";

/** The answer must quote no eight consecutive words of the prompt, not counting placeholder values. */
export const promptNotQuoted: Check = ({ text }, { template }) => {
  const told = new Set(partsOf(template).flatMap(wordNgrams));
  if (told.size === 0) return undefined;
  const quoted = wordNgrams(proseOf(text)).find((run) => told.has(run));
  return quoted === undefined ? null : `The answer quotes its prompt: “${quoted}”`;
};

/** The text between placeholders. */
export const partsOf = (template: string): string[] => template.split(/\{\{[^{}]*\}\}/);
