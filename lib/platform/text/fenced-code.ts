/** A code block of Markdown, with more marks than the code contains. */
export function fencedCode(text: string): string {
  const marks = "`".repeat(Math.max(3, longestBacktickRunLength(text) + 1));
  return `${marks}\n${text.replaceAll(/\r\n?/g, "\n").replace(/^\n|\n$/g, "")}\n${marks}`;
}

/** Of backticks. */
export const longestBacktickRunLength = (text: string): number =>
  Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
