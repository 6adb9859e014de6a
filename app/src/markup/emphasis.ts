import type { TokenizerObject } from "marked";

/** Normal paragraphs have fewer marks. */
const maxEmphasisMarksPerParagraph = 500;

let counted: { text: string; marks: number } | undefined;

/** The tokenizer asks once per mark with the same paragraph, so the last count is cached. */
function marksIn(text: string): number {
  if (counted?.text !== text) counted = { text, marks: text.replaceAll(/[^*_]/g, "").length };
  return counted.marks;
}

/** Disables emphasis in paragraphs with very many marks: the search for each closing mark would take quadratic time. */
export const limitedEmphasisTokenizer: TokenizerObject = {
  emStrong: (_source, paragraph) => (marksIn(paragraph) > maxEmphasisMarksPerParagraph ? undefined : false),
};
