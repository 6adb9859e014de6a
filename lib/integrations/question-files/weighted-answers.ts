import type * as z from "zod";
import { QuestionCreate } from "../../../schema/api/assessment/questions.ts";
import { hasOptionsWithEqualPlainText } from "../../assessment/qti/become-alike.ts";
import { unomittableElementNames } from "../../assessment/qti/essential-elements.ts";
import type { MessageValue } from "../../error-codes.ts";
import {
  decodeOmission,
  type EncodedOmission,
  encodeOmission,
  type OmissionCode,
} from "../../platform/results/omission-codes.ts";
import { encodeCodeAndValues, type StoredReason } from "../../platform/results/stored-reason.ts";
import { decimalDifference, decimalMiddle } from "../../platform/text/decimal-text.ts";
import { plainTextToMarkdown } from "../../platform/text/plain-text-markdown.ts";
import { describeFirstIssue } from "../../platform/validation/issues.ts";
import { htmlToMarkdownWithPictures } from "../cartridges/html-to-blocks.ts";
import type { ArchivePageLocation } from "../cartridges/paths.ts";
import { replacePicturesWithPlaceholders } from "../cartridges/question-pictures.ts";

/* What Moodle XML and GIFT have in common: answers with shares of the points. */

export type QuestionInput = z.input<typeof QuestionCreate>;

export type QuestionAnswerFields = Pick<QuestionInput, "kind" | "options" | "answer" | "scoring">;

/** `share` is in percent of the points. */
export type WeightedAnswer = {
  text: string;
  /** As the file has it. */
  source: string;
  share: number;
};

/** A question cannot be read. */
export class UnreadableQuestionError extends Error {
  override name = "Unread";
  readonly reasonFor: (number: number) => StoredReason | EncodedOmission;

  constructor(reasonFor: (number: number) => StoredReason | EncodedOmission) {
    super("unread");
    this.reasonFor = reasonFor;
  }
}

export const createUnreadableQuestionError = (
  code: OmissionCode,
  values: Record<string, MessageValue> = {},
): UnreadableQuestionError =>
  new UnreadableQuestionError(
    (number) => encodeCodeAndValues(code, { number, ...values }) as EncodedOmission,
  );

const nowhere: ArchivePageLocation = { path: "", names: new Set() };

/** Collects what a question loses, with its number. `place` has the files that it can show. */
export class OmissionCollector {
  readonly place: ArchivePageLocation;
  readonly #lines = new Set<EncodedOmission>();
  readonly #number: number;

  constructor(number: number, place = nowhere) {
    this.#number = number;
    this.place = place;
  }

  add(code: OmissionCode, values: Record<string, MessageValue> = {}): void {
    this.#lines.add(encodeCodeAndValues(code, { ...values, number: this.#number }) as EncodedOmission);
  }

  addSetting(setting: string, value: string): void {
    this.add("left_out_question_setting", { setting: setting.slice(0, 100), value: value.slice(0, 200) });
  }

  get lines(): EncodedOmission[] {
    return [...this.#lines];
  }
}

/** Learners type a `typed` text, so it has no markup. */
export type TextFormat = "html" | "markdown" | "plain" | "typed";

/** The text as Markdown, unless it is typed. Throws if HTML would lose a picture or a formula. */
export function textInFormat(text: string, format: TextFormat, losses: OmissionCollector): string {
  if (format === "typed") return text.trim();
  if (format === "plain") return plainTextToMarkdown(text);
  if (format === "markdown") return replacePicturesWithPlaceholders(text.trim(), losses.place);
  const leaveOut = (line: EncodedOmission) => {
    const element = decodeOmission(line).line;
    if (unomittableElementNames.has(element))
      throw createUnreadableQuestionError("left_out_question_part_lost", { element });
    losses.add("left_out_question_element", { element });
  };
  return htmlToMarkdownWithPictures(text, leaveOut, losses.place).trim();
}

/** HTML without tags, such as text with entities, keeps its lines. */
export const withLineBreaks = (text: string): string =>
  hasTags(text) ? text : text.replaceAll("\n", "<br>");

export const hasTags = (text: string): boolean =>
  /<\/?(p|br|b|i|em|strong|su[bp]|ul|ol|li|div|span|img|code|pre|table|math|ruby)\b/i.test(text);

function optionsOf(answers: readonly WeightedAnswer[]): { id: string; text: string }[] {
  const texts = answers.map(({ text }) => text);
  const sources = answers.map(({ source }) => source);
  if (hasOptionsWithEqualPlainText(texts, sources))
    throw createUnreadableQuestionError("left_out_question_options_alike");
  return texts.map((text, at) => ({ id: `o${at + 1}`, text }));
}

const idsOf = (answers: readonly WeightedAnswer[], isRight: (answer: WeightedAnswer) => boolean): string[] =>
  answers.flatMap((answer, at) => (isRight(answer) ? [`o${at + 1}`] : []));

/** Only full points are supported for an answer. */
function reportPartial(answers: readonly Pick<WeightedAnswer, "share">[], losses: OmissionCollector): void {
  if (answers.some(({ share }) => share !== 0 && share !== 100)) losses.add("left_out_question_partial");
}

export function toSingleChoiceAnswer(
  answers: readonly WeightedAnswer[],
  losses: OmissionCollector,
): QuestionAnswerFields {
  const right = idsOf(answers, ({ share }) => share === 100);
  if (right.length > 1) throw createUnreadableQuestionError("left_out_question_several_right");
  reportPartial(answers, losses);
  const [option_id] = right;
  return {
    kind: "SINGLE_CHOICE",
    options: optionsOf(answers),
    answer: option_id === undefined ? {} : { option_id },
  };
}

export function toMultipleChoiceAnswer(
  answers: readonly WeightedAnswer[],
  losses: OmissionCollector,
): QuestionAnswerFields {
  const right = answers.filter(({ share }) => share > 0);
  const isPartial = right.length > 0 && isPartialCredit(answers, right[0]?.share ?? 0);
  const loses = right.length > 1 || answers.some(({ share }) => share < 0);
  if (loses && !isPartial) losses.add("left_out_question_partial");
  return {
    kind: "MULTIPLE_CHOICE",
    options: optionsOf(answers),
    answer: { option_ids: idsOf(answers, ({ share }) => share > 0) },
    ...(isPartial && { scoring: "partial" as const }),
  };
}

/** Correct answers add equal shares of the points, others remove them. */
const isPartialCredit = (answers: readonly WeightedAnswer[], share: number): boolean =>
  answers.every((one) => Math.abs(one.share) === share);

/** Every text that earns points is accepted. An unescaped `*` stands for any text. */
export function toShortTextAnswer(
  answers: readonly WeightedAnswer[],
  losses: OmissionCollector,
): QuestionAnswerFields {
  const texts = answers.filter(({ share }) => share > 0).map(({ text }) => text);
  if (texts.some((text) => /(?<!\\)\*/.test(text)))
    throw createUnreadableQuestionError("left_out_question_processing", { element: "*" });
  reportPartial(answers, losses);
  for (const { text, share } of answers) if (share <= 0) losses.addSetting("answer", text);
  return {
    kind: "SHORT_ANSWER",
    answer: { texts: [...new Set(texts.map((one) => one.replaceAll("\\*", "*")))] },
  };
}

export function toNumericAnswer(
  answers: readonly { value: number; tolerance: number; share: number }[],
  losses: OmissionCollector,
): QuestionAnswerFields {
  const right = answers.filter(({ share }) => share === 100);
  const [only, ...others] = right;
  if (others.length > 0) throw createUnreadableQuestionError("left_out_question_several_ranges");
  if (!only || !Number.isFinite(only.value))
    throw createUnreadableQuestionError("left_out_question_without_number");
  if (!(only.tolerance >= 0) || !Number.isFinite(only.tolerance))
    throw createUnreadableQuestionError("left_out_question_no_number");
  reportPartial(answers, losses);
  return { kind: "NUMERIC", answer: { value: only.value, tolerance: only.tolerance } };
}

export function rangeToValueAndTolerance(low: number, high: number): { value: number; tolerance: number } {
  const value = decimalMiddle(low, high);
  return { value, tolerance: decimalDifference(high, value) };
}

export const toTrueFalseAnswer = (value: boolean): QuestionAnswerFields => ({
  kind: "TRUE_FALSE",
  answer: { value },
});

export function parseQuestionOrFault(
  number: number,
  read: (losses: OmissionCollector) => QuestionInput,
  place?: ArchivePageLocation,
):
  | { question: QuestionCreate; leftOut: EncodedOmission[] }
  | { fault: StoredReason | EncodedOmission; leftOut: EncodedOmission[] } {
  const losses = new OmissionCollector(number, place);
  try {
    const asked = read(losses);
    const { data, error } = QuestionCreate.safeParse(asked);
    if (data) return { question: data, leftOut: losses.lines };
    const issue = describeFirstIssue(asked, error, "question");
    return { fault: encodeOmission("left_out_question_invalid", { number, ...issue }), leftOut: [] };
  } catch (error) {
    if (error instanceof UnreadableQuestionError) return { fault: error.reasonFor(number), leftOut: [] };
    throw error;
  }
}
