import type { TokenizerObject } from "marked";

/** A paragraph has fewer, whoever wrote it. */
const most = 500;

let counted: { text: string; marks: number } | undefined;

/** Each mark in a paragraph asks for the same text, which is counted for the first. */
function marksIn(text: string): number {
  if (counted?.text !== text) counted = { text, marks: text.replaceAll(/[^*_]/g, "").length };
  return counted.marks;
}

/**
 * Leaves the marks of emphasis in a paragraph that has very many of them as they are written: for each, whatever comes
 * behind it is looked through for its end.
 */
export const soberEmphasis: TokenizerObject = {
  emStrong: (_source, paragraph) => (marksIn(paragraph) > most ? undefined : false),
};
