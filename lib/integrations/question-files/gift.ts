import { encodeStoredReason } from "../../platform/results/stored-reason.ts";
import { parseDecimalText } from "../../platform/text/decimal-text.ts";
import { decodeCharacterReferences } from "../../platform/text/html-entities.ts";
import type { ArchivePageLocation } from "../cartridges/paths.ts";
import {
  createUnreadableQuestionError,
  hasTags,
  type OmissionCollector,
  parseQuestionOrFault,
  type QuestionAnswerFields,
  type QuestionInput,
  rangeToValueAndTolerance,
  type TextFormat,
  textInFormat,
  toMultipleChoiceAnswer,
  toNumericAnswer,
  toShortTextAnswer,
  toSingleChoiceAnswer,
  toTrueFalseAnswer,
  UnreadableQuestionError,
  type WeightedAnswer,
  withLineBreaks,
} from "./weighted-answers.ts";

/** `category`: the name of the category that begins with this question. */
type Block = { line: number; text: string; category: string | undefined };

/**
 * Questions in Moodle's GIFT format, with the lines on which they begin. An empty line ends a question. A file
 * that ends within a question was cut and has only that fault. No library is maintained for it. Pure, in linear
 * time.
 */
export function readGift(source: string, place?: ArchivePageLocation) {
  const found = blocksIn(source).map(({ line, text, category }, at) => ({
    line,
    ...parseQuestionOrFault(at + 1, (losses) => questionOf(text, category, losses), place),
  }));
  const last = found.at(-1);
  const isCut = last && "fault" in last && last.fault === unclosed;
  return isCut ? [{ ...last, fault: encodeStoredReason("question_file_cut") }] : found;
}

const unclosed = encodeStoredReason("question_answers_unclosed");

function blocksIn(source: string): Block[] {
  const blocks: Block[] = [];
  let block: { line: number; lines: string[] } | undefined;
  let category: string | undefined;
  const end = () => {
    if (block) {
      blocks.push({ line: block.line, text: block.lines.join("\n"), category });
      category = undefined;
    }
    block = undefined;
  };
  for (const [at, line] of source.split(/\r\n|\n|\r/).entries()) {
    const [, named] = /^\s*\$CATEGORY:\s*(.*)$/i.exec(line) ?? [];
    if (named !== undefined) {
      end();
      category = named.trim();
    } else if (line.trim() === "") end();
    else if (!/^\s*\/\//.test(line)) {
      block ??= { line: at + 1, lines: [] };
      block.lines.push(line);
    }
  }
  end();
  return blocks;
}

function questionOf(block: string, category: string | undefined, losses: OmissionCollector): QuestionInput {
  if (category) losses.addSetting("category", category);
  const [, afterTitle = block] = /^\s*::(?:\\.|[^\\:]|:(?!:))*::([\s\S]*)$/.exec(block) ?? [];
  const [, format, body = afterTitle] =
    /^\s*\[(html|moodle|plain|markdown)\]([\s\S]*)$/i.exec(afterTitle) ?? [];
  const opening = placeOf(body, "{");
  if (opening < 0)
    throw createUnreadableQuestionError("left_out_question_kind", { question_kind: "description" });
  const closing = placeOf(body, "}", opening + 1);
  if (closing < 0) throw new UnreadableQuestionError(() => unclosed);
  const after = body.slice(closing + 1);
  if (placeOf(after, "{") >= 0) throw createUnreadableQuestionError("left_out_question_several_gaps");
  const written = formatOf(body, format);
  const stem = `${body.slice(0, opening).trimEnd()}${after.trim() === "" ? "" : ` ____ ${after.trim()}`}`;
  const lines = written === "html" ? withLineBreaks(unescaped(stem)) : unescaped(stem);
  const [answers = "", general] = split(body.slice(opening + 1, closing), "####");
  return {
    question_text: withGap(textInFormat(lines, written, losses)),
    explanation: general ? textInFormat(unescaped(general), written, losses) || null : null,
    ...answered(answers.trim(), written, losses),
  };
}

/** The gap within a sentence needs no escapes. */
const withGap = (text: string): string => text.replaceAll(" \\_\\_\\_\\_ ", " ____ ");

const hasEntities = (text: string): boolean => /&(?:[a-z]{2,31}|\\?#\d{2,7}|\\?#x[\da-f]{2,6});/i.test(text);

/** Without a format Moodle guesses, too. */
function formatOf(text: string, format = "moodle"): TextFormat {
  if (/^moodle$/i.test(format)) return hasTags(text) || hasEntities(text) ? "html" : "plain";
  return /^html$/i.test(format) ? "html" : /^plain$/i.test(format) ? "plain" : "markdown";
}

function answered(answers: string, format: TextFormat, losses: OmissionCollector): QuestionAnswerFields {
  if (answers === "")
    throw createUnreadableQuestionError("left_out_question_kind", { question_kind: "essay" });
  if (answers.startsWith("#")) return number(answers.slice(1), losses);
  const [, truth] = /^(T|TRUE|F|FALSE)(?=\s*(?:#|$))/i.exec(answers) ?? [];
  if (truth !== undefined) {
    if (answers.includes("#")) losses.add("left_out_question_feedback");
    return toTrueFalseAnswer(/^t/i.test(truth));
  }
  const parts = partsIn(answers);
  if (parts.length === 0)
    throw createUnreadableQuestionError("left_out_question_kind", { question_kind: "GIFT" });
  const isChoice = parts.some(({ sign }) => sign === "~");
  if (!isChoice && parts.every(({ text }) => placeOf(text, "->") >= 0))
    throw createUnreadableQuestionError("left_out_question_kind", { question_kind: "matching" });
  const weighted = parts.map(
    ({ sign, text }): WeightedAnswer => weightedOf(text, sign === "=", isChoice ? format : "typed", losses),
  );
  // Learners type these as plain text.
  if (!isChoice)
    return toShortTextAnswer(format === "html" ? weighted.map(withoutReferences) : weighted, losses);
  const rights = weighted.filter(({ share }) => share > 0);
  const isSingle =
    parts.some(({ sign }) => sign === "=") || (rights.length === 1 && rights[0]?.share === 100);
  return isSingle ? toSingleChoiceAnswer(weighted, losses) : toMultipleChoiceAnswer(weighted, losses);
}

const withoutReferences = (answer: WeightedAnswer): WeightedAnswer => ({
  ...answer,
  text: decodeCharacterReferences(answer.text),
});

function weightedOf(
  text: string,
  isRight: boolean,
  format: TextFormat,
  losses: OmissionCollector,
): WeightedAnswer {
  const { share, rest } = shareOf(text, isRight);
  const [said = "", feedback = ""] = split(rest, "#");
  if (feedback.trim() !== "") losses.add("left_out_question_feedback");
  return { text: textInFormat(unescaped(said), format, losses), source: said.trim(), share };
}

function shareOf(text: string, isRight: boolean): { share: number; rest: string } {
  const [whole, percent] = /^\s*%(-?\d{1,3}(?:\.\d{1,9})?)%/.exec(text) ?? [];
  return whole === undefined
    ? { share: isRight ? 100 : 0, rest: text }
    : { share: Number(percent), rest: text.slice(whole.length) };
}

/** `3:2`, `1..5`, or several of them that begin with `=`. */
function number(answers: string, losses: OmissionCollector): QuestionAnswerFields {
  const parts = partsIn(answers);
  const texts = parts.length > 0 ? parts.map(({ text }) => text) : [answers];
  return toNumericAnswer(
    texts.map((text) => {
      const { share, rest } = shareOf(text, true);
      const [said = "", feedback = ""] = split(rest, "#");
      if (feedback.trim() !== "") losses.add("left_out_question_feedback");
      if (share <= 0) losses.addSetting("answer", said.trim());
      const [low, high] = said.split("..").map(parseDecimalText);
      if (low !== undefined && high !== undefined) return { ...rangeToValueAndTolerance(low, high), share };
      const [value = Number.NaN, tolerance = 0] = said.split(":").map(parseDecimalText);
      return { value, tolerance, share };
    }),
    losses,
  );
}

/** Answers by their unescaped signs. */
function partsIn(answers: string): { sign: string; text: string }[] {
  const parts: { sign: string; text: string }[] = [];
  for (let at = 0, start = -1; at <= answers.length; at += 1) {
    if (answers[at] === "\\") at += 1;
    else if (at === answers.length || answers[at] === "=" || answers[at] === "~") {
      if (start >= 0) parts.push({ sign: answers[start] ?? "", text: answers.slice(start + 1, at).trim() });
      start = at;
    }
  }
  return parts;
}

/** The first unescaped place of a sign; -1 without one. */
function placeOf(text: string, sign: string, from = 0): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text.startsWith(sign, at)) return at;
  }
  return -1;
}

function split(text: string, sign: string): [string, string?] {
  const at = placeOf(text, sign);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + sign.length)];
}

const unescaped = (text: string): string =>
  text.replaceAll(/\\([~=#{}:\\n])/g, (_, sign: string) => (sign === "n" ? "\n" : sign)).trim();
