import type * as z from "zod";
import { QuestionCreate } from "../../../schema/api/assessment/questions.ts";
import { becomeAlike } from "../../assessment/qti/become-alike.ts";
import { essentialElements } from "../../assessment/qti/essential-elements.ts";
import type { MessageValue } from "../../error-codes.ts";
import { coded, type StoredReason } from "../../platform/results/stored-reason.ts";
import { firstIssue } from "../../platform/validation/issues.ts";
import { textWithPictures } from "../cartridges/html-to-blocks.ts";
import { type LeftOut, type LeftOutCode, leftOut, readLeftOut } from "../cartridges/omission-codes.ts";
import type { PageAt } from "../cartridges/paths.ts";
import { withWaitingPictures } from "../cartridges/question-pictures.ts";

/* What Moodle XML and GIFT have in common: answers with shares of the points. */

export type Asked = z.input<typeof QuestionCreate>;

export type Answered = Pick<Asked, "kind" | "options" | "answer" | "scoring">;

/** `share` is in percent of the points. */
export type Weighted = {
  text: string;
  /** As the file has it. */
  source: string;
  share: number;
};

/** A question cannot be read. */
export class Unread extends Error {
  override name = "Unread";
  readonly reasonFor: (number: number) => StoredReason | LeftOut;

  constructor(reasonFor: (number: number) => StoredReason | LeftOut) {
    super("unread");
    this.reasonFor = reasonFor;
  }
}

export const unread = (code: LeftOutCode, values: Record<string, MessageValue> = {}): Unread =>
  new Unread((number) => coded(code, { number, ...values }) as LeftOut);

const nowhere: PageAt = { path: "", names: new Set() };

/** Collects what a question loses, with its number. `place` has the files that it can show. */
export class Losses {
  readonly place: PageAt;
  readonly #lines = new Set<LeftOut>();
  readonly #number: number;

  constructor(number: number, place = nowhere) {
    this.#number = number;
    this.place = place;
  }

  add(code: LeftOutCode, values: Record<string, MessageValue> = {}): void {
    this.#lines.add(coded(code, { ...values, number: this.#number }) as LeftOut);
  }

  get lines(): LeftOut[] {
    return [...this.#lines];
  }
}

/** Throws if HTML would lose a picture or a formula. */
export function textOf(text: string, isHtml: boolean, losses: Losses): string {
  if (!isHtml) return withWaitingPictures(text.trim(), losses.place);
  const leaveOut = (line: LeftOut) => {
    const element = readLeftOut(line).line;
    if (essentialElements.has(element)) throw unread("left_out_question_part_lost", { element });
    losses.add("left_out_question_element", { element });
  };
  return textWithPictures(text, leaveOut, losses.place).trim();
}

function optionsOf(answers: readonly Weighted[]): { id: string; text: string }[] {
  const texts = answers.map(({ text }) => text);
  const sources = answers.map(({ source }) => source);
  if (becomeAlike(texts, sources)) throw unread("left_out_question_options_alike");
  return texts.map((text, at) => ({ id: `o${at + 1}`, text }));
}

const idsOf = (answers: readonly Weighted[], isRight: (answer: Weighted) => boolean): string[] =>
  answers.flatMap((answer, at) => (isRight(answer) ? [`o${at + 1}`] : []));

/** Only full points are supported for an answer. */
function reportPartial(answers: readonly Pick<Weighted, "share">[], losses: Losses): void {
  if (answers.some(({ share }) => share !== 0 && share !== 100)) losses.add("left_out_question_partial");
}

export function singleChoice(answers: readonly Weighted[], losses: Losses): Answered {
  const right = idsOf(answers, ({ share }) => share === 100);
  if (right.length > 1) throw unread("left_out_question_several_right");
  reportPartial(answers, losses);
  const [option_id] = right;
  return {
    kind: "SINGLE_CHOICE",
    options: optionsOf(answers),
    answer: option_id === undefined ? {} : { option_id },
  };
}

export function multipleChoice(answers: readonly Weighted[], losses: Losses): Answered {
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
const isPartialCredit = (answers: readonly Weighted[], share: number): boolean =>
  answers.every((one) => Math.abs(one.share) === share);

/** Every text that earns points is accepted. An unescaped `*` stands for any text. */
export function shortAnswer(answers: readonly Weighted[], losses: Losses): Answered {
  const texts = answers.filter(({ share }) => share > 0).map(({ text }) => text);
  if (texts.some((text) => /(?<!\\)\*/.test(text)))
    throw unread("left_out_question_processing", { element: "*" });
  reportPartial(answers, losses);
  return {
    kind: "SHORT_ANSWER",
    answer: { texts: [...new Set(texts.map((one) => one.replaceAll("\\*", "*")))] },
  };
}

export function numeric(
  answers: readonly { value: number; tolerance: number; share: number }[],
  losses: Losses,
): Answered {
  const right = answers.filter(({ share }) => share === 100);
  const [only, ...others] = right;
  if (others.length > 0) throw unread("left_out_question_several_ranges");
  if (!only || !Number.isFinite(only.value)) throw unread("left_out_question_without_number");
  reportPartial(answers, losses);
  const tolerance = Number(Math.max(0, only.tolerance || 0).toPrecision(12));
  return { kind: "NUMERIC", answer: { value: only.value, tolerance } };
}

export const trueOrFalse = (value: boolean): Answered => ({ kind: "TRUE_FALSE", answer: { value } });

export function questionFrom(
  number: number,
  read: (losses: Losses) => Asked,
  place?: PageAt,
): { question: QuestionCreate; leftOut: LeftOut[] } | { fault: StoredReason | LeftOut; leftOut: LeftOut[] } {
  const losses = new Losses(number, place);
  try {
    const asked = read(losses);
    const { data, error } = QuestionCreate.safeParse(asked);
    if (data) return { question: data, leftOut: losses.lines };
    const issue = firstIssue(asked, error, "question");
    return { fault: leftOut("left_out_question_invalid", { number, ...issue }), leftOut: [] };
  } catch (error) {
    if (error instanceof Unread) return { fault: error.reasonFor(number), leftOut: [] };
    throw error;
  }
}
