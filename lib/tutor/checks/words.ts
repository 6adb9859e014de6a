import type { Question } from "../../../schema/question.ts";

const block = /^(```|~~~)mcq[^\n]*\n[\s\S]*?(?:\n\1[^\n]*|$(?![\s\S]))/gm;

export const removeQuestionBlocks = (text: string): string => text.replaceAll(block, "\n").trimEnd();

/** Undefined without a block. */
export function textAfterLastQuestion(text: string): string | undefined {
  const last = [...text.matchAll(block)].at(-1);
  return last && text.slice(last.index + last[0].length);
}

/** Prose, question and options. */
export const learnerReadableText = (text: string, question: Question | undefined): string =>
  [removeQuestionBlocks(text), question?.question, ...(question?.options.map((option) => option.text) ?? [])]
    .filter(Boolean)
    .join("\n");

/** Only letters and digits, in lower case. */
export const normalizedWords = (text: string): string[] =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];

/** This many equal words in a row are no coincidence. */
export const minQuotedWords = 8;

export function wordNgrams(text: string): string[] {
  const words = normalizedWords(text);
  return words
    .slice(0, Math.max(0, words.length - minQuotedWords + 1))
    .map((_, at) => words.slice(at, at + minQuotedWords).join(" "));
}

/** Without code blocks and inline code. */
export const removeCode = (text: string): string =>
  text.replaceAll(/^(```|~~~)[\s\S]*?(?:^\1|$(?![\s\S]))/gm, " ").replaceAll(/`[^`\n]*`/g, " ");
