import type { Check } from "./checked-answer.ts";
import { removeQuestionBlocks, wordNgrams } from "./words.ts";

/** The answer must quote no eight consecutive words of the prompt, not counting placeholder values. */
export const checkPromptNotQuoted: Check = ({ text }, { template }) => {
  const told = new Set(textBetweenPlaceholders(template).flatMap(wordNgrams));
  if (told.size === 0) return undefined;
  const quoted = wordNgrams(removeQuestionBlocks(text)).find((run) => told.has(run));
  return quoted === undefined ? null : `The answer quotes its prompt: “${quoted}”`;
};

/** The text between placeholders. */
export const textBetweenPlaceholders = (template: string): string[] => template.split(/\{\{[^{}]*\}\}/);
