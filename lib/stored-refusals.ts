import { type ErrorCode, errorWords } from "./error-codes.ts";

/*
 * A refusal that is kept with a row (of an import, or a file) is kept as its words, which functions of the database write
 * too. Its code is found by them, so that a row of an earlier release has one as well.
 */

/** A code, and what its words have between the values. */
type Sentence = { code: ErrorCode; parts: readonly string[] };

const sentences: readonly Sentence[] = Object.entries(errorWords)
  .map(([code, words]) => ({ code: code as ErrorCode, parts: words.split(/\{\w{1,32}\}/) }))
  // Lines of what was left out refuse nothing, and say little by themselves.
  .filter(({ code, parts }) => !code.startsWith("left_out_") && parts.some((part) => part !== ""))
  // The one that says the most by itself goes before another that might say the same with its values.
  .sort((one, other) => wordsIn(other) - wordsIn(one));

function wordsIn({ parts }: Sentence): number {
  return parts.join("").length;
}

/** The code of a refusal that is stored as these words; null for those of no code, and where nothing was refused. Pure. */
export const codeOfStored = (words: string | null): ErrorCode | null =>
  words === null ? null : (sentences.find(({ parts }) => isSaidBy(parts, words))?.code ?? null);

function isSaidBy(parts: readonly string[], words: string): boolean {
  const [start = "", ...others] = parts;
  const end = others.pop();
  if (end === undefined) return words === start;
  if (!words.startsWith(start) || !words.endsWith(end)) return false;
  let at = start.length;
  for (const part of others) {
    const found = words.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= words.length - end.length;
}
