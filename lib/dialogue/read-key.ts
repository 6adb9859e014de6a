import type { Question, QuestionKey } from "../../schema/question.ts";
import { truncate } from "../text/truncate.ts";
import { lenientJson } from "./lenient-json.ts";
import { looseAnswer, spokenAnswer } from "./spoken-answer.ts";
import { type Fields, field, fieldsOf } from "./written-fields.ts";

/** The longest misconception, and the longest skill, in characters. */
const longestWords = 80;

/** What the fields of a key are called by models, spelled without capitals, blanks and dashes; the first one wins. */
const names = {
  answer: ["answer", "correct", "right", "correctanswer", "rightanswer", "correctoption", "option", "key"],
  misconceptions: ["misconceptions", "misconception", "errors"],
  skill: ["skill", "skills", "topic"],
  optionId: ["id", "option", "optionid", "answer"],
  words: ["text", "misconception", "error", "description"],
};

/**
 * The key of a question, from what the model wrote of it: undefined where that names not exactly one option that the
 * question offers. A wrong option without a misconception has none.
 */
export function keyFor(question: Question, written: readonly string[]): QuestionKey | undefined {
  const keys = written.map((one) => keyOf(question, lenientJson(one)?.value));
  const [key] = keys.slice(-1);
  return key && keys.every((one) => one?.answer === key.answer) ? key : undefined;
}

function keyOf(question: Question, value: unknown): QuestionKey | undefined {
  const fields = typeof value === "string" ? { answer: value } : fieldsOf(value);
  if (!fields) return undefined;
  const answer = optionNamed(question, field(fields, names.answer));
  if (answer === undefined) return undefined;
  const skill = plain(field(fields, names.skill));
  const misconceptions = misconceptionsIn(question, field(fields, names.misconceptions));
  return { answer, misconceptions: misconceptions.filter(({ id }) => id !== answer), skill: skill || null };
}

/** The option that is meant, by its id or else by its text, compared as answers are; undefined for none and for several. */
function optionNamed({ options }: Question, named: unknown): string | undefined {
  const one = Array.isArray(named) && named.length === 1 ? named[0] : named;
  const meant = fieldsOf(one) ? field(fieldsOf(one) as Fields, names.optionId) : one;
  if (typeof meant !== "string" && typeof meant !== "boolean") return undefined;
  const said = spokenAnswer("", String(meant));
  const loose = looseAnswer("q", String(meant));
  const tries = [
    options.filter(({ id }) => spokenAnswer("", id) === said),
    options.filter(({ text }) => spokenAnswer("", text) === said),
    options.filter(({ id, text }) => [id, text].some((form) => loose && looseAnswer("q", form) === loose)),
  ];
  const [fitting] = tries.filter((found) => found.length > 0);
  return fitting?.length === 1 ? fitting[0]?.id : undefined;
}

/** From a map of options to words, or from a list of both. */
function misconceptionsIn(question: Question, value: unknown): QuestionKey["misconceptions"] {
  const entries: [unknown, unknown][] = Array.isArray(value)
    ? value.map((one) => [
        field(fieldsOf(one) ?? {}, names.optionId),
        field(fieldsOf(one) ?? {}, names.words),
      ])
    : Object.entries(fieldsOf(value) ?? {});
  const told = entries.flatMap(([option, words]): [string, string][] => {
    const id = optionNamed(question, option);
    const text = plain(words);
    return id !== undefined && text ? [[id, text]] : [];
  });
  return [...new Map(told)].map(([id, text]) => ({ id, text }));
}

const plain = (value: unknown): string =>
  typeof value === "string"
    ? truncate(
        value
          .replaceAll(/\p{Cc}+/gu, " ")
          .trim()
          .normalize("NFC"),
        longestWords,
      ).trim()
    : "";

const keyWords =
  /["'“”]?\b(answer[ _-]?key|key|misconceptions?|correct\w*|right[ _-]?(answer|option)\w*)["'“”]?\s*[:=]/i;

/** A fence of a key within a block. */
const keyFence = /(`{3}|~{3})[\p{Zs}\p{Cf}\t]*((answer|mcq|question|quiz)[-_]?)?keys?(?![a-z0-9])/iu;

/** Whether a block is called a key in the line of its fence, by a word or an attribute, or by a line of its own below it. */
function isCalledKey(content: string): boolean {
  const [line = "", ...below] = content.slice(0, 300).split("\n");
  const [words = ""] = line.split(/[{[]/);
  const [next = ""] = below.map((one) => one.trim()).filter(Boolean);
  return (
    /\bkeys?\b/i.test(words) ||
    /^\{ ?[.#]?key\b(?!["'“”]? ?:)/i.test(line.trimStart()) ||
    (line.trim() === "" && /^keys? ?:?$/i.test(next))
  );
}

/** Whether a block that is no question is a key: one of `key`, or one without a language of its own that holds a key. */
export const isKey = (info: string, content: string): boolean =>
  info === "key" ||
  (info !== "mcq" &&
    (/["'“”]?\bmisconceptions?["'“”]?\s*:/i.test(content) || keyFence.test(content) || isCalledKey(content)));

/** The key that stands among the fields of a question, as JSON; undefined for none. */
export function keyWithin(content: string): string | undefined {
  if (!/\bkey\b/i.test(content)) return undefined;
  const key = field(fieldsOf(lenientJson(content)?.value) ?? {}, ["key", "answerkey"]);
  return key === undefined ? undefined : JSON.stringify(key);
}

/** A block that could not be read, without what may be a key in it and all that follows. */
export function withoutKey(raw: string): string {
  const [at = -1] = [raw.search(keyWords), raw.search(keyFence)]
    .filter((found) => found >= 0)
    .sort((a, b) => a - b);
  if (at < 0) return raw;
  const [fence = "```"] = /^\s*(`{3,}|~{3,})/.exec(raw) ?? [];
  return `${raw.slice(0, at).trimEnd()}\n${fence.trim()}`;
}

/** A key as the model is told it with the history. */
export const keyBlock = (key: QuestionKey): string =>
  `\`\`\`key\n${JSON.stringify({ answer: key.answer, misconceptions: key.misconceptions, skill: key.skill ?? null })}\n\`\`\``;
