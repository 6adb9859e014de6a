import type { Question } from "../../../schema/question.ts";

const block = /^(```|~~~)mcq[^\n]*\n[\s\S]*?(?:\n\1[^\n]*|$(?![\s\S]))/gm;

/** An answer without the service's blocks of questions. */
export const proseOf = (text: string): string => text.replaceAll(block, "\n").trimEnd();

/** What stands before the last block of a question; all of it where there is none. */
export function beforeQuestion(text: string): string {
  const last = [...text.matchAll(block)].at(-1);
  return last ? text.slice(0, last.index) : text;
}

/** What stands behind the last block of a question; undefined where there is none. */
export function behindQuestion(text: string): string | undefined {
  const last = [...text.matchAll(block)].at(-1);
  return last && text.slice(last.index + last[0].length);
}

/** All that a learner reads: the prose, and the question with its options. */
export const readBy = (text: string, question: Question | undefined): string =>
  [proseOf(text), question?.question, ...(question?.options.map((option) => option.text) ?? [])]
    .filter(Boolean)
    .join("\n");

/** Words as they are compared: letters and digits alone, without case. */
export const wordsOf = (text: string): string[] =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];

/** So many words in a row are no accident. */
const wordsInARow = 8;

/** Each eight words in a row of a text. */
export function runsOf(text: string): string[] {
  const words = wordsOf(text);
  return words
    .slice(0, Math.max(0, words.length - wordsInARow + 1))
    .map((_, at) => words.slice(at, at + wordsInARow).join(" "));
}

/** Code left out, be it a block or among words. */
export const withoutCode = (text: string): string =>
  text.replaceAll(/^(```|~~~)[\s\S]*?(?:^\1|$(?![\s\S]))/gm, " ").replaceAll(/`[^`\n]*`/g, " ");
