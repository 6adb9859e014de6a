import type { Question } from "../../../schema/question.ts";

const block = /^(```|~~~)mcq[^\n]*\n[\s\S]*?(?:\n\1[^\n]*|$(?![\s\S]))/gm;

export const proseOf = (text: string): string => text.replaceAll(block, "\n").trimEnd();

/** Undefined without a block. */
export function behindQuestion(text: string): string | undefined {
  const last = [...text.matchAll(block)].at(-1);
  return last && text.slice(last.index + last[0].length);
}

/** Prose, question and options. */
export const readBy = (text: string, question: Question | undefined): string =>
  [proseOf(text), question?.question, ...(question?.options.map((option) => option.text) ?? [])]
    .filter(Boolean)
    .join("\n");

/** Only letters and digits, in lower case. */
export const wordsOf = (text: string): string[] =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];

/** This many equal words in a row are no coincidence. */
export const wordsInARow = 8;

export function wordNgrams(text: string): string[] {
  const words = wordsOf(text);
  return words
    .slice(0, Math.max(0, words.length - wordsInARow + 1))
    .map((_, at) => words.slice(at, at + wordsInARow).join(" "));
}

/** Without code blocks and inline code. */
export const withoutCode = (text: string): string =>
  text.replaceAll(/^(```|~~~)[\s\S]*?(?:^\1|$(?![\s\S]))/gm, " ").replaceAll(/`[^`\n]*`/g, " ");
