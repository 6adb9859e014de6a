import { isBlank } from "../../../schema/api/platform/is-blank.ts";

/** Line breaks, control characters and runs of blanks become one blank. */
export const singleLine = (text: string): string => text.replaceAll(/[\s\p{Z}\p{Cc}]+/gu, " ").trim();

/** On one line, between quotes that the text cannot close. Empty without visible characters. */
export function quoteOnOneLine(text: string): string {
  // A combining mark at the beginning would change the opening quote.
  const line = singleLine(text).replace(/^\p{M}+/u, "");
  return isBlank(line) ? "" : `"${line.replaceAll(/["\uff02]/g, "'")}"`;
}
