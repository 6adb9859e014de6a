import type { Question, QuestionKey } from "../../../schema/question.ts";
import { truncate } from "../../platform/text/truncate.ts";
import { looseFormOfAnswer, normalFormOfAnswer } from "./answer-normal-form.ts";
import {
  answerIndexAliases,
  fieldPattern,
  keyFieldAliases,
  namesPattern,
  translatedKeyFieldAliases,
} from "./key-fields.ts";
import { parseLenientJson } from "./lenient-json.ts";
import { asObjectFields, findField, type ObjectFields } from "./object-fields.ts";
import { isKeyShape, unwrapCallArguments } from "./secret-shapes.ts";

/** Of a misconception and of a skill, in characters. */
const maxKeyPhraseCharacters = 80;
const maxKeyReasonCharacters = 1000;

const namedAnswerAliases = keyFieldAliases.answer.filter(
  (name) => !(answerIndexAliases as readonly string[]).includes(name),
);

/** The first match wins. */
const names = {
  answer: [...namedAnswerAliases, ...translatedKeyFieldAliases.answer, "right", "option", "key"],
  misconceptions: [...keyFieldAliases.misconceptions, ...translatedKeyFieldAliases.misconceptions, "errors"],
  skill: [...keyFieldAliases.skill, ...translatedKeyFieldAliases.skill, "topic"],
  because: [
    ...keyFieldAliases.because,
    ...translatedKeyFieldAliases.because,
    ...keyFieldAliases.reason,
    "solution",
  ],
  optionId: ["id", "option", "option id", ...namedAnswerAliases],
  words: ["text", ...keyFieldAliases.misconceptions, "error", "description"],
};

/** Undefined unless it names exactly one option. Wrong options need no misconception. */
export function parseAnswerKey(question: Question, written: readonly string[]): QuestionKey | undefined {
  const keys = written.map((one) => keyOf(question, parseLenientJson(one)?.value));
  const [key] = keys.slice(-1);
  return key && keys.every((one) => one?.answer === key.answer) ? key : undefined;
}

function keyOf(question: Question, value: unknown): QuestionKey | undefined {
  const one = Array.isArray(value) && value.length === 1 ? value[0] : value;
  const nested = asObjectFields(findField(asObjectFields(one) ?? {}, keyFieldAliases.key));
  const fields = typeof one === "string" ? { answer: one } : (nested ?? asObjectFields(one));
  if (!fields) return undefined;
  const answer = optionIn(question, fields, names.answer);
  if (answer === undefined) return undefined;
  const skill = plain(findField(fields, names.skill));
  const misconceptions = misconceptionsIn(question, findField(fields, names.misconceptions));
  const because = plain(findField(fields, names.because), maxKeyReasonCharacters);
  return {
    answer,
    misconceptions: misconceptions.filter(({ id }) => id !== answer),
    skill: skill || null,
    ...(because && { because }),
  };
}

/** By name or index; undefined if they contradict each other. */
function optionIn(question: Question, fields: ObjectFields, called: readonly string[]): string | undefined {
  const named = optionNamed(question, findField(fields, called));
  const counted = optionsAt(question, findField(fields, answerIndexAliases));
  return named === undefined || counted.length === 0 || counted.includes(named)
    ? (named ?? counted[0])
    : undefined;
}

/** Counted from zero, then from one. Some models write an id. */
function optionsAt(question: Question, index: unknown): string[] {
  const [one] = Array.isArray(index) && index.length === 1 ? index : [index];
  if (typeof one !== "string") return [];
  const ids = /^\p{L}/u.test(one) ? [optionNamed(question, one)] : [];
  const places = /^\d{1,2}$/.test(one) ? [Number(one), Number(one) - 1] : [];
  return [...ids, ...places.map((at) => question.options[at]?.id)].filter((id) => id !== undefined);
}

/** By id or else text, compared like answers; undefined for none or several. */
function optionNamed({ options }: Question, named: unknown): string | undefined {
  const one = Array.isArray(named) && named.length === 1 ? named[0] : named;
  const meant = asObjectFields(one) ? findField(asObjectFields(one) as ObjectFields, names.optionId) : one;
  if (typeof meant !== "string" && typeof meant !== "boolean") return undefined;
  const said = normalFormOfAnswer("", String(meant));
  const loose = looseFormOfAnswer("q", String(meant));
  const tries = [
    options.filter(({ id }) => normalFormOfAnswer("", id) === said),
    options.filter(({ text }) => normalFormOfAnswer("", text) === said),
    options.filter(({ id, text }) =>
      [id, text].some((form) => loose && looseFormOfAnswer("q", form) === loose),
    ),
  ];
  const [fitting] = tries.filter((found) => found.length > 0);
  return fitting?.length === 1 ? fitting[0]?.id : undefined;
}

/** From a map from options to texts, or a list of both. */
function misconceptionsIn(question: Question, value: unknown): QuestionKey["misconceptions"] {
  const entries: [string | undefined, unknown][] = Array.isArray(value)
    ? value.map((one) => [
        optionIn(question, asObjectFields(one) ?? {}, names.optionId),
        findField(asObjectFields(one) ?? {}, names.words),
      ])
    : Object.entries(asObjectFields(value) ?? {}).map(([option, words]) => [
        optionNamed(question, option),
        words,
      ]);
  const told = entries.flatMap(([id, words]): [string, string][] => {
    const text = plain(words);
    return id !== undefined && text ? [[id, text]] : [];
  });
  return [...new Map(told)].map(([id, text]) => ({ id, text }));
}

const plain = (value: unknown, longest = maxKeyPhraseCharacters): string =>
  typeof value === "string"
    ? truncate(
        value
          .replaceAll(/\p{Cc}+/gu, " ")
          .trim()
          .normalize("NFC"),
        longest,
      ).trim()
    : "";

/** An unreadable question calls its options "answers". */
const keyWords = fieldPattern(
  [...Object.values(keyFieldAliases), ...Object.values(translatedKeyFieldAliases)]
    .flat()
    .filter((name) => !["answer", "answers"].includes(name)),
);

/** Within a block. */
const keyFence = /(`{3}|~{3})[\p{Zs}\p{Cf}\t]*((answer|mcq|question|quiz)[-_]?)?keys?(?![a-z0-9])/iu;

/** A key that broke off within its first field. */
const beginsWithReason = new RegExp(
  `^\\s{0,20}\\{\\s{0,20}["'“”‘’]?${namesPattern(keyFieldAliases.because)}["'“”‘’]?\\s{0,4}:`,
  "i",
);

/** A word or attribute of the fence's line, or a separate line below, calls the block a key. */
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

/** Language `key`, or no own language with a key as content. */
export const isKeyBlock = (info: string, content: string): boolean =>
  info === "key" ||
  (info !== "mcq" &&
    (isKeyShape(content) ||
      beginsWithReason.test(content) ||
      keyFence.test(content) ||
      isCalledKey(content)));

/** Within a question's fields, as JSON: the field `key`, or the question itself if it names its answer. */
export function findKeyInQuestionFields(content: string): string | undefined {
  const fields = asObjectFields(unwrapCallArguments(parseLenientJson(content)?.value)) ?? {};
  const key = findField(fields, keyFieldAliases.key);
  if (key !== undefined) return JSON.stringify(key);
  const answer = findField(fields, keyFieldAliases.answer);
  return typeof answer === "string" || typeof answer === "boolean" ? JSON.stringify(fields) : undefined;
}

/** An unreadable block, cut from the start of a possible key. */
export function cutBlockAtPossibleKey(raw: string): string {
  const [at = -1] = [raw.search(keyWords), raw.search(keyFence)]
    .filter((found) => found >= 0)
    .sort((a, b) => a - b);
  if (at < 0) return raw;
  const [fence = "```"] = /^\s*(`{3,}|~{3,})/.exec(raw) ?? [];
  return `${raw.slice(0, at).trimEnd()}\n${fence.trim()}`;
}

/** In the order in which the prompt asks for the fields. */
export const orderedKeyFields = ({ because, answer, misconceptions, skill }: QuestionKey) => ({
  ...(because && { because }),
  answer,
  misconceptions,
  skill: skill ?? null,
});

export const formatKeyBlock = (key: QuestionKey): string =>
  `\`\`\`key\n${JSON.stringify(orderedKeyFields(key))}\n\`\`\``;
