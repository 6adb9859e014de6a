import { escapeMarkdown } from "./escape-markdown.ts";
import { formulasIn } from "./formulas.ts";
import { mergeDigitsIntoFormulas } from "./scripts.ts";

/** Markdown that shows the same characters, lines and paragraphs. MathJax formulas stay formulas. */
export const plainTextToMarkdown = (text: string): string =>
  text
    .replaceAll(/\r\n?/g, "\n")
    .split(/\n[^\S\n]*(?:\n[^\S\n]*)+/)
    .map((paragraph) => escapeLineStarts(escapeText(paragraph.replaceAll(/[^\S\n]+/g, " "))))
    .filter((paragraph) => paragraph !== "")
    .join("\n\n");

/** The text that `plainTextToMarkdown` turns into this Markdown; undefined if there is none. */
export function markdownToPlainText(markdown: string): string | undefined {
  const text = markdown.replaceAll("  \n", "\n").replaceAll(/\\([!-/:-@[-`{-~])/g, "$1");
  return plainTextToMarkdown(text) === markdown ? text : undefined;
}

/** Escapes Markdown characters, except in MathJax formulas. */
export function escapeText(text: string): string {
  let written = "";
  let end = 0;
  for (const found of formulasIn(text, { hasDollars: false })) {
    const latex = inlineFormula(found.latex);
    written +=
      escapeMarkdown(text.slice(end, found.start)) + (found.isDisplay && latex ? `$${latex}$` : latex);
    end = found.end;
  }
  return written + escapeMarkdown(text.slice(end));
}

export const inlineFormula = (source: string): string => {
  const latex = source.replaceAll(/[$\n]/g, " ").trim();
  return latex ? `$${latex}$` : "";
};

/** Of one paragraph: escapes line starts that would begin a heading, list, table or quotation. Lines end hard. */
export const escapeLineStarts = (paragraph: string): string =>
  mergeDigitsIntoFormulas(paragraph)
    .split("\n")
    .map((one) => one.trim())
    .join("\n")
    .replaceAll(/ {2,}/g, " ")
    .trim()
    .replaceAll(/^(?=(?:#{1,6}|[-+]|-+|=+)(?:\s|$)|[|:-][|: -]+$)/gm, "\\")
    .replaceAll(/^(\d{1,9})(?=[.)](?:\s|$))/gm, "$1\\")
    .replaceAll(/\n+/g, "  \n");
