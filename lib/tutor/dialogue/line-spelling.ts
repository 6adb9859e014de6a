import { normalizeTextForFields } from "./plain-spelling.ts";

const attributes = "(?:\\s[^<>]{0,300})?/?>";
const cell = new RegExp(`<(/?)(t[dh]|dt|dd)${attributes}`, "gi");
const rows =
  "table|thead|tbody|tfoot|tr|dl|ul|ol|li|p|div|section|article|aside|h[1-6]|br|hr|details|summary|blockquote|center";
const row = new RegExp(`</?(?:${rows})${attributes}`, "gi");
const inline = new RegExp(
  `</?(?:b|strong|i|em|u|s|span|mark|small|big|font|code|kbd|samp|tt|label)${attributes}`,
  "gi",
);
/** Shorter than a tag that waits for its end. */
const maxRowTagCharacters = 295;
const rowBegins = new RegExp(`^<(?:${rows}|dt)(?:\\s[^<>]{0,280})?/?>`, "i");
const tagBegun = /<(?:\/?[a-z]{0,10}[1-6]?|\/?[a-z]{1,10}[1-6]?\s[^<>]{0,300})$/i;

/** An HTML tag after which a line begins for its readers. */
export const beginsHtmlRow = (text: string, at: number): boolean =>
  rowBegins.test(text.slice(at, at + maxRowTagCharacters));

/** HTML's rows as lines, and its cells as those of a Markdown table. */
function htmlAsLines(text: string, isWhole: boolean): string {
  return (isWhole ? text : text.replace(tagBegun, ""))
    .replaceAll(cell, (_, closes: string, name: string) =>
      closes === "" && name.toLowerCase() === "dt" ? "\n|" : "|",
    )
    .replaceAll(row, "\n")
    .replaceAll(inline, "")
    .replaceAll(/\|[ \t]{0,8}\|/g, "|")
    .replace(/^\n+/, "");
}

const spelledOut = /(?<![\p{L}\p{N}])\p{L}(?:[ ._·*-]\p{L}){3,40}(?![\p{L}\p{N}])/gu;

/** "a n s w e r" as a word. */
export const joinSpelledOut = (text: string): string =>
  text.replaceAll(spelledOut, (word) => word.replaceAll(/[ ._·*-]/g, ""));

/** For the search of fields in lines: without disguise, markup and blanks between the letters of a word. */
export function normalizeLinesForFields(written: string, isWhole = true): string {
  const plain = normalizeTextForFields(written);
  return joinSpelledOut(plain.includes("<") ? htmlAsLines(plain, isWhole) : plain);
}
