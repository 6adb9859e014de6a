import { type ErrorCode, errorWords } from "../error-codes.ts";
import { isSaidBy, sentenceOf } from "../sentences.ts";

/*
 * What is left out of a part is kept as lines, which have the words of a code each. The code is found by the words.
 */

/** A line that two of them might say is of the first. */
const codes = [
  "left_out_essay",
  "left_out_attachment",
  "left_out_link",
  "left_out_handler",
  "left_out_element",
  "left_out_media",
  "left_out_question_beyond",
  "left_out_question_several_choices",
  "left_out_question_several_right",
  "left_out_question_several_gaps",
  "left_out_question_several_ranges",
  "left_out_question_without_number",
  "left_out_question_lopsided",
  "left_out_question_no_number",
  "left_out_question_unnamed",
  "left_out_question_unasked",
  "left_out_question_feedback",
  "left_out_question_link",
  "left_out_question_handler",
  "left_out_question_element",
  "left_out_question_media",
  "left_out_question_invalid",
  "left_out_question_kind",
  "left_out_file",
] as const satisfies readonly ErrorCode[];

/** What a value looks like, where it may not be anything. */
const shapes: Readonly<Record<string, RegExp>> = {
  number: /^\d{1,9}$/,
  count: /^\d{1,9}$/,
  element: /^(?:[a-z][a-z0-9]{0,31}|mat_extension)$/,
  field: /^[a-z][\w.]{0,99}$/,
  handler: /^on\w{1,50}$/,
  media: /^(?:iframe|video|audio|embed|source|track)$/,
};

const fits = (name: string, value: string): boolean => value !== "" && (shapes[name]?.test(value) ?? true);

const lines = codes.map((code) => ({ code, sentence: sentenceOf(errorWords[code]) }));

/** The code of a line of what was left out of a part; null for one of no code. Pure. */
export const codeOfLeftOut = (line: string): ErrorCode | null =>
  lines.find(({ sentence }) => isSaidBy(sentence, line, fits))?.code ?? null;
