import { type ErrorCode, errorWords } from "../../error-codes.ts";
import { type MessageTemplate, matchesTemplate, templateOf } from "../text/sentences.ts";

/*
 * Imports and files store refusals as messages, also by database functions. The code is found by its message.
 */

const sentences = Object.entries(errorWords)
  .map(([code, words]) => ({ code: code as ErrorCode, ...templateOf(words) }))
  // Messages of skipped lines are no refusals, and too generic to match.
  .filter((one) => !one.code.startsWith("left_out_") && wordsIn(one) > 0)
  // The most specific template first, because a general one may match the same text.
  .sort((one, other) => wordsIn(other) - wordsIn(one));

function wordsIn({ start, values }: MessageTemplate): number {
  return values.reduce((sum, { end }) => sum + end.length, start.length);
}

/** Null for an unknown message and without a refusal. Pure. */
export const codeOfStored = (words: string | null): ErrorCode | null =>
  words === null ? null : (sentences.find((one) => matchesTemplate(one, words))?.code ?? null);
