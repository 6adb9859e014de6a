/** `info`: the language in lower case. `rest`: the index of the content in the line. */
export type CodeFence = { marker: string; info: string; rest: number };

/** Blocks that may be the service's own data; `""` is a fence without a language. */
export const possibleOwnBlockLanguages: readonly string[] = ["", "mcq", "json", "key"];

/** Used only for the service's own data: such a fence ends an unclosed block. */
export const ownBlockLanguages: readonly string[] = ["mcq", "key"];

/** Models' names for a `key` block: plural, prefixed, or with a suffix such as `key-json`. */
const keyNames: readonly string[] = ["", "answer", "mcq", "question", "quiz"].flatMap((first) =>
  ["", "-", "_"].flatMap((joint) => (first === "" && joint !== "" ? [] : [`${first}${joint}key`])),
);
const isKeyName = (word: string): boolean =>
  keyNames.some((name) => word.startsWith(name) && /^s?(?![a-z0-9])/.test(word.slice(name.length)));

const languageOf = (word: string): string => (isKeyName(word) ? "key" : word);

const mayBecomeHeld = (word: string): boolean =>
  isKeyName(word) ||
  [...possibleOwnBlockLanguages, ...keyNames].some((language) => language.startsWith(word));

/** A longer indent or marker is not a fence. */
const maxFenceIndentCharacters = 64;
const maxFenceMarkerCharacters = 128;

function endOfRun(text: string, start: number, isIn: (character: string) => boolean, most: number): number {
  let end = start;
  while (end < text.length && end - start < most && isIn(text[end] as string)) end += 1;
  return end;
}

/** Blanks of any width, and invisible characters. */
const isBlank = (character: string) => /[\t\p{Zs}\p{Cf}]/u.test(character);
const isLineEnd = (character: string | undefined) => character === "\n" || character === "\r";
const isOfWord = (character: string) => /[A-Za-z0-9_+#.-]/.test(character);

/**
 * Classifies a line by its beginning: a fence, "more" if undecided, "text" if it opens none, "inline" if
 * backticks end within the line.
 */
export function classifyFenceOpening(line: string, isWhole: boolean): CodeFence | "more" | "text" {
  const start = endOfRun(line, 0, isBlank, maxFenceIndentCharacters);
  if (start === line.length) return start < maxFenceIndentCharacters && !isWhole ? "more" : "text";
  const mark = line[start] as string;
  if (mark !== "`" && mark !== "~") return "text";
  const afterMarker = endOfRun(line, start, (one) => one === mark, maxFenceMarkerCharacters);
  const length = afterMarker - start;
  if (afterMarker === line.length && !isWhole) return length < maxFenceMarkerCharacters ? "more" : "text";
  if (length < 3 || length === maxFenceMarkerCharacters) return "text";
  return afterRun(line, start, afterMarker, isWhole);
}

function afterRun(
  line: string,
  start: number,
  afterMarker: number,
  isWhole: boolean,
): CodeFence | "more" | "text" {
  const mark = line[start] as string;
  const word = endOfRun(line, afterMarker, isBlank, maxFenceIndentCharacters);
  if (word === line.length && !isWhole) return "more";
  const end = endOfRun(line, word, isOfWord, maxFenceIndentCharacters);
  const info = languageOf(line.slice(word, end).toLowerCase());
  if (end === line.length && !isWhole)
    return mayBecomeHeld(info) ? "more" : { marker: line.slice(start, afterMarker), info, rest: end };
  // Backticks that end in their own line are inline code.
  if (line[end] === mark) return "text";
  const next = line[end];
  const isBare = info === "" && next !== undefined && !isLineEnd(next) && next !== "{" && next !== "[";
  return { marker: line.slice(start, afterMarker), info: isBare ? next : info, rest: end };
}

export type InlineRun = { mark: string; length: number };

/**
 * Finds a fence after other text of a line, as models write in quotes, lists or sentences. It must be `key`,
 * or `mcq`, `json` or no language followed by JSON or the line's end. `end` is the position searched up to.
 * `inline` is the inline code open there.
 */
export function findFenceWithinLine(
  line: string,
  inline: InlineRun | undefined,
  isWhole: boolean,
  keysAlone: boolean,
): { end: number; fence?: CodeFence; inline: InlineRun | undefined } {
  let open = inline;
  for (let at = 0; ; ) {
    const start = nextMark(line, at);
    if (start === line.length) return { end: start, inline: open };
    const mark = line[start] as string;
    at = endOfRun(line, start, (one) => one === mark, maxFenceMarkerCharacters);
    const length = at - start;
    if (at === line.length && !isWhole && length < maxFenceMarkerCharacters)
      return { end: start, inline: open };
    if (length < 3 || length === maxFenceMarkerCharacters) continue;
    const closesInline = open?.mark === mark && open.length === length;
    const fence = innerFence(line, start, at, isWhole);
    if (fence === "more") return { end: start, inline: open };
    const opens = typeof fence === "object" && (!closesInline || !isBlank(line[at] as string));
    if (opens && (fence.info === "key" || !(keysAlone || closesInline)))
      return { end: start, fence, inline: undefined };
    if (closesInline) open = undefined;
    else open ??= { mark, length };
  }
}

function nextMark(line: string, from: number): number {
  const marks = /[`~]/g;
  marks.lastIndex = from;
  return marks.exec(line)?.index ?? line.length;
}

/** Its marks are from `start` to `at`; `rest` counts from `start`. */
function innerFence(line: string, start: number, at: number, isWhole: boolean): CodeFence | "more" | "text" {
  const fence = afterRun(line, start, at, isWhole);
  if (typeof fence === "string") return fence;
  if (!possibleOwnBlockLanguages.includes(fence.info)) return "text";
  const inner = { ...fence, rest: fence.rest - start };
  if (fence.info === "key") return inner;
  const next = endOfRun(line, fence.rest, isBlank, maxFenceIndentCharacters);
  if (next === line.length && !isWhole) return "more";
  if (next === line.length) return fence.info === "" ? "text" : inner;
  return isLineEnd(line[next]) || line[next] === "{" || line[next] === "[" ? inner : "text";
}

export const withoutQuoteMarks = (line: string): string =>
  line.replace(/^[ \t]{0,64}(?:>[ \t]{0,64}){1,16}/, "");

export function closingFenceMarker(line: string): string | undefined {
  const trimmed = line.trim();
  return /^(`{3,128}|~{3,128})$/.test(trimmed) ? trimmed : undefined;
}

export function indexOfFenceAfterJson(line: string): number {
  const end = line.trimEnd().length;
  const mark = line[end - 1];
  if (mark !== "`" && mark !== "~") return -1;
  let start = end;
  while (start > 0 && line[start - 1] === mark) start -= 1;
  if (end - start < 3 || end - start > maxFenceMarkerCharacters) return -1;
  return /[}\]]\s{0,8}$/.test(line.slice(Math.max(0, start - 9), start)) ? start : -1;
}

export function indexOfKeyFenceAfterJson(line: string): number {
  for (const found of line.matchAll(/(?<=[}\]][^\S\n]{0,8})(?<![`~])(`{3,128}|~{3,128})(?![`~])/g)) {
    const fence = classifyFenceOpening(line.slice(found.index), true);
    if (typeof fence === "object" && fence.info === "key") return found.index;
  }
  return -1;
}

export const closesFence = (marker: string, opened: string): boolean =>
  marker[0] === opened[0] && marker.length >= opened.length;
