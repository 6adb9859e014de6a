import { type ErrorCode, errorWords } from "../../error-codes.ts";
import { matchesTemplate, templateOf } from "../../platform/text/sentences.ts";

/* Omissions are stored as text lines. The code is found by the text. */

/** If two templates match a line, the first wins. */
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
  "left_out_question_part_lost",
  "left_out_question_options_alike",
  "left_out_question_character_lost",
  "left_out_question_feedback",
  "left_out_question_link",
  "left_out_question_handler",
  "left_out_question_element",
  "left_out_question_media",
  "left_out_question_invalid",
  "left_out_question_kind",
  "left_out_file",
] as const satisfies readonly ErrorCode[];

/** Of placeholders that are not free text. */
const shapes: Readonly<Record<string, RegExp>> = {
  number: /^\d{1,9}$/,
  count: /^\d{1,9}$/,
  element: /^(?:[a-z][a-z0-9]{0,31}|mat_extension)$/,
  field: /^[a-z][\w.]{0,99}$/,
  handler: /^on\w{1,50}$/,
  media: /^(?:iframe|video|audio|embed|source|track)$/,
};

const fits = (name: string, value: string): boolean => value !== "" && (shapes[name]?.test(value) ?? true);

const lines = codes.map((code) => ({ code, sentence: templateOf(errorWords[code]) }));

/** Null for an unknown line. Pure. */
export const codeOfLeftOut = (line: string): ErrorCode | null =>
  lines.find(({ sentence }) => matchesTemplate(sentence, line, fits))?.code ?? null;
