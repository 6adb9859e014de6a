import { type ErrorCode, errorWords } from "./error-codes.ts";
import { isSaidBy, type Sentence, sentenceOf } from "./sentences.ts";

/*
 * A refusal that is kept with a row (of an import, or a file) is kept as its words, which functions of the database write
 * too. Its code is found by the words.
 */

const sentences = Object.entries(errorWords)
  .map(([code, words]) => ({ code: code as ErrorCode, ...sentenceOf(words) }))
  // Lines of what was left out refuse nothing, and say little by themselves.
  .filter((one) => !one.code.startsWith("left_out_") && wordsIn(one) > 0)
  // The one that says the most by itself goes before another that might say the same with its values.
  .sort((one, other) => wordsIn(other) - wordsIn(one));

function wordsIn({ start, values }: Sentence): number {
  return values.reduce((sum, { end }) => sum + end.length, start.length);
}

/** The code of a refusal that is stored as these words; null for those of no code, and where nothing was refused. Pure. */
export const codeOfStored = (words: string | null): ErrorCode | null =>
  words === null ? null : (sentences.find((one) => isSaidBy(one, words))?.code ?? null);
