/** A fence as its line begins: `info` is its language in lower case, and `rest` where what it holds begins in the line. */
export type Fence = { marker: string; info: string; rest: number };

/** The languages whose blocks may be the service's own data. `""` is a fence without one. */
export const heldLanguages: readonly string[] = ["", "mcq", "json", "key"];

/** Those that nothing but the service's own data stands in: a fence of theirs ends a block that nobody closed. */
export const ownLanguages: readonly string[] = ["mcq", "key"];

/** A line is searched for a fence up to here: a longer one is no fence. */
const longestIndent = 64;
const longestMarker = 32;

/** Where a run of blanks, or of one character, ends that begins at this index of a text. */
function endOfRun(text: string, start: number, isIn: (character: string) => boolean, most: number): number {
  let end = start;
  while (end < text.length && end - start < most && isIn(text[end] as string)) end += 1;
  return end;
}

const isBlank = (character: string) => character === " " || character === "\t";
const isLineEnd = (character: string | undefined) => character === "\n" || character === "\r";
const isOfWord = (character: string) => /[A-Za-z0-9_+#.-]/.test(character);

/**
 * Which kind of line begins with this text: "more" where that cannot be told yet, "text" where it opens no fence,
 * "inline" where backticks end in their own line.
 */
export function openingOf(line: string, isWhole: boolean): Fence | "more" | "text" {
  const start = endOfRun(line, 0, isBlank, longestIndent);
  if (start === line.length) return start < longestIndent && !isWhole ? "more" : "text";
  const mark = line[start] as string;
  if (mark !== "`" && mark !== "~") return "text";
  const afterMarker = endOfRun(line, start, (one) => one === mark, longestMarker);
  const length = afterMarker - start;
  if (afterMarker === line.length && !isWhole) return length < longestMarker ? "more" : "text";
  if (length < 3 || length === longestMarker) return "text";
  const word = endOfRun(line, afterMarker, isBlank, longestIndent);
  if (word === line.length && !isWhole) return "more";
  const end = endOfRun(line, word, isOfWord, longestIndent);
  const info = line.slice(word, end).toLowerCase();
  if (end === line.length && !isWhole)
    return heldLanguages.some((language) => language.startsWith(info))
      ? "more"
      : { marker: line.slice(start, afterMarker), info, rest: end };
  // Backticks that end in their own line are code among words.
  if (line[end] === mark) return "text";
  const next = line[end];
  const isBare = info === "" && next !== undefined && !isLineEnd(next) && next !== "{" && next !== "[";
  return { marker: line.slice(start, afterMarker), info: isBare ? next : info, rest: end };
}

/** The fence that a line consists of; undefined for any other line. */
export function closingOf(line: string): string | undefined {
  const trimmed = line.trim();
  return /^(`{3,32}|~{3,32})$/.test(trimmed) ? trimmed : undefined;
}

/** Where a fence begins at the end of a line, behind the end of an object or a list; -1 for none. */
export function gluedFence(line: string): number {
  const end = line.trimEnd().length;
  const mark = line[end - 1];
  if (mark !== "`" && mark !== "~") return -1;
  let start = end;
  while (start > 0 && line[start - 1] === mark) start -= 1;
  if (end - start < 3 || end - start > longestMarker) return -1;
  return /[}\]]\s{0,8}$/.test(line.slice(Math.max(0, start - 9), start)) ? start : -1;
}

/** Whether a fence of that marker ends a block that another one opened. */
export const closes = (marker: string, opened: string): boolean =>
  marker[0] === opened[0] && marker.length >= opened.length;
