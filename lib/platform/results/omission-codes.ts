import type { MessageValue, PlaceholderNames } from "../../error-codes.ts";
import { decodeCodeAndMessage, encodeCodeAndValues } from "./stored-reason.ts";

/** The keys are stable; messages may be reworded. */
export const omissionMessages = {
  left_out_access_code: "the access code",
  left_out_attachment: "attachment: {path}",
  left_out_bank: "question bank {bank}, which the cartridge does not contain",
  left_out_cut: "{field}: the text after {count} characters",
  left_out_dates: "the opening date {available_from}, because it is not before the due date",
  left_out_element: "{element}",
  left_out_essay: "essay",
  left_out_file: "{path}: {fault}",
  left_out_further: "{count} more",
  left_out_groups: "groups of questions: {count} questions are drawn from all of them",
  left_out_handler: "{handler}",
  left_out_link: "link: {address}",
  left_out_media: "{media}: {address}",
  left_out_question_beyond: "{number}: more than {count} questions",
  left_out_question_character_lost: "{number}: a character is lost (U+FFFD)",
  left_out_question_element: "{number}: {element}",
  left_out_question_feedback: "{number}: feedback for single answers",
  left_out_question_handler: "{number}: {handler}",
  left_out_question_invalid: "{number}: {field}: {fault}",
  left_out_question_kind: "{number}: {question_kind}",
  left_out_question_link: "{number}: link: {address}",
  left_out_question_lopsided: "{number}: a number with an asymmetric range",
  left_out_question_media: "{number}: {media}: {address}",
  left_out_question_no_number: "{number}: an invalid number",
  left_out_question_options_alike: "{number}: two options would have the same text",
  left_out_question_part_lost: "{number}: its {element} would be lost",
  left_out_question_partial: "{number}: partial points for single answers",
  left_out_question_processing: "{number}: a score that is computed ({element})",
  left_out_question_setting: "{number}: setting {setting}: {value}",
  left_out_question_several_choices: "{number}: a choice with several answers to give",
  left_out_question_several_gaps: "{number}: an entry with several gaps",
  left_out_question_several_ranges: "{number}: a number with several correct ranges",
  left_out_question_several_right: "{number}: a single choice with several correct answers",
  left_out_question_unasked: "{number}: {question_kind} without a presentation",
  left_out_question_unnamed: "{number}: an unnamed kind",
  left_out_question_without_number: "{number}: a number without a correct value",
  left_out_rubric: "the rubric: {fault}",
  left_out_setting: "setting {setting}: {value}",
  left_out_settings_file: "settings in {path}",
  left_out_tool: "the tool: none is registered for {host}",
  left_out_until: "the closing date {lock_at}",
  left_out_variant: "a version of type {kind}, which cannot be imported",
} as const;

export type OmissionCode = keyof typeof omissionMessages;

/** Code and values, as stored. */
export type EncodedOmission = string & { readonly "": "EncodedOmission" };

export type ReportOmission = (line: EncodedOmission) => void;

type ValuesOf<Code extends OmissionCode> = [PlaceholderNames<(typeof omissionMessages)[Code]>] extends [never]
  ? []
  : [values: Record<PlaceholderNames<(typeof omissionMessages)[Code]>, MessageValue>];

export const encodeOmission = <Code extends OmissionCode>(
  code: Code,
  ...[values]: ValuesOf<Code>
): EncodedOmission => encodeCodeAndValues(code, values) as EncodedOmission;

export const encodeOmittedElement = (name: string): EncodedOmission =>
  encodeOmission("left_out_element", { element: name.slice(0, 100) });

/** Lines of older versions have no code. */
export function decodeOmission(stored: string): { code: OmissionCode | null; line: string } {
  const { code, words } = decodeCodeAndMessage(stored, omissionMessages);
  return { code, line: words ?? "" };
}
