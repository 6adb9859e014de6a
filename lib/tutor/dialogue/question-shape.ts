import { createHash } from "node:crypto";
import type { Question } from "../../../schema/question.ts";
import { asObjectFields, findField, normalizeFieldName, type ObjectFields } from "./object-fields.ts";

type Option = Question["options"][number];

/** Models' names for the fields, without case, blanks and dashes; the first match wins. */
const names = {
  id: ["questionid", "qid", "id"],
  question: ["question", "questiontext", "text", "prompt", "stem"],
  options: ["options", "choices", "alternatives", "answeroptions", "answers"],
  optionId: ["id", "optionid", "key", "letter", "label", "option", "value"],
  optionText: ["text", "optiontext", "content", "description", "answer", "label", "option", "value"],
};

const maxQuestionIdCharacters = 128;
const maxQuestionOptions = 26;

/**
 * Accepts any field names. Undefined unless complete with at least two options; only missing or useless ids
 * are generated. `byStructure` also accepts other languages' names if each field is clear from its content.
 */
export function parseQuestionShape(value: unknown, byStructure: boolean): Question | undefined {
  const fields = unwrapped(value);
  if (!fields) return undefined;
  const found = byName(fields) ?? (byStructure ? byKind(fields) : undefined);
  const question = plainText(found?.question);
  const options = found && uniqueIds(optionsOf(found.options, byStructure));
  if (!question || !options) return undefined;
  const questionId = found.id === undefined ? derivedId(question, options) : idOf(found.id);
  return questionId === undefined ? undefined : { questionId, question, options };
}

type Found = { id: unknown; question: unknown; options: unknown };

function unwrapped(value: unknown): ObjectFields | undefined {
  let inner = value;
  for (let layer = 0; layer < 3; layer += 1) {
    if (Array.isArray(inner) && inner.length === 1) [inner] = inner;
    const fields = asObjectFields(inner);
    const question = fields && asObjectFields(findField(fields, ["question"]));
    const only =
      fields && Object.values(fields).length === 1 ? asObjectFields(Object.values(fields)[0]) : undefined;
    if (fields && question) return { ...fields, ...question, question: findField(question, names.question) };
    if (!only) return fields;
    inner = only;
  }
  return undefined;
}

function byName(fields: ObjectFields): Found | undefined {
  const [question, options] = [findField(fields, names.question), findField(fields, names.options)];
  return typeof question === "string" && options !== undefined
    ? { id: findField(fields, names.id), question, options }
    : undefined;
}

/** The fields of an object with one list and two texts if only one text can be an id. */
function byKind(fields: ObjectFields): Found | undefined {
  const entries = Object.entries(fields);
  const lists = entries.filter(([, value]) => typeof value === "object" && value !== null);
  const texts = entries.filter(([, value]) => typeof value === "string");
  if (lists.length !== 1 || texts.length !== 2 || entries.length !== 3) return undefined;
  const pair = idAndText([texts.map(([key, value]) => [key, String(value)])]);
  return pair && { id: fields[pair.id], question: fields[pair.text], options: lists[0]?.[1] };
}

/**
 * Decides which of two keys holds ids and which texts: by a name that ends with "id", else by the values.
 * Undefined if ambiguous.
 */
function idAndText(rows: [string, string][][]): { id: string; text: string } | undefined {
  const keys = rows[0]?.map(([key]) => key) ?? [];
  const isSame = rows.every((row) => row.length === 2 && row.every(([key]) => keys.includes(key)));
  if (!isSame || keys.length !== 2) return undefined;
  const valuesOf = (key: string) => rows.map((row) => row.find(([name]) => name === key)?.[1] ?? "");
  const named = keys.filter((key) => /id$/i.test(key));
  const short = keys.filter((key) =>
    valuesOf(key).every((value) => /^[\p{L}\p{N}_.-]{1,12}$/u.test(value.trim())),
  );
  const [id] = named.length === 1 ? named : short;
  if (id === undefined || (named.length !== 1 && short.length !== 1)) return undefined;
  return { id, text: keys.find((key) => key !== id) as string };
}

function optionsOf(value: unknown, byStructure: boolean): Option[] | undefined {
  const entries = Array.isArray(value) ? value : undefined;
  if (!entries) return mapped(asObjectFields(value));
  if (entries.every((entry) => scalar(entry) !== undefined))
    return labelled(entries.map((entry) => scalar(entry)));
  const rows = entries.map(asObjectFields);
  if (!rows.every((row) => row !== undefined)) return undefined;
  const named = rows.map(namedOption);
  const whole = named.every((option) => option !== undefined)
    ? named
    : byStructure
      ? structuredOptions(rows)
      : undefined;
  return whole && withIds(whole);
}

const scalar = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "boolean" ? String(value) : undefined;

type Bare = { id: string | undefined; text: string };

function namedOption(row: ObjectFields): Bare | undefined {
  const keys = Object.keys(row);
  const [only] = keys;
  const isText = only !== undefined && names.optionText.slice(0, 4).includes(normalizeFieldName(only));
  if (keys.length === 1 && only !== undefined && !isText) return whole(only, scalar(row[only]));
  const idKey = keyOf(row, names.optionId, undefined);
  const textKey = keyOf(row, names.optionText, idKey);
  return textKey === undefined ? undefined : whole(idKey && scalar(row[idKey]), scalar(row[textKey]));
}

const whole = (id: string | undefined, text: string | undefined): Bare | undefined =>
  text === undefined ? undefined : { id, text };

function keyOf(row: ObjectFields, called: readonly string[], other: string | undefined): string | undefined {
  for (const name of called)
    for (const key of Object.keys(row)) if (key !== other && normalizeFieldName(key) === name) return key;
  return undefined;
}

function structuredOptions(rows: ObjectFields[]): Bare[] | undefined {
  const texts = rows.map((row) =>
    Object.entries(row).map(([key, value]): [string, string] => [key, String(value)]),
  );
  const pair = idAndText(texts);
  if (!pair || rows.some((row) => Object.values(row).some((value) => scalar(value) === undefined)))
    return undefined;
  return rows.map((row) => ({ id: scalar(row[pair.id]), text: String(row[pair.text]) }));
}

function mapped(fields: ObjectFields | undefined): Option[] | undefined {
  const options = Object.entries(fields ?? {}).map(([id, value]) => {
    const text =
      scalar(value) ?? scalar(findField(asObjectFields(value) ?? {}, names.optionText.slice(0, 4)));
    return text === undefined ? undefined : { id, text };
  });
  return options.every((option) => option !== undefined) ? withIds(options) : undefined;
}

const label = /^\(?([A-Za-z]|\d{1,2})[).:]\s+(?=\S)/;

function labelled(texts: (string | undefined)[]): Option[] | undefined {
  const all = texts.filter((text) => text !== undefined).map((text) => text.trim());
  const labels = all.map((text) => label.exec(text));
  const ids = labels.map((found) => found?.[1] ?? "");
  const isNext = ids.every(
    (id, index) => id !== "" && (index === 0 || id === following(ids[index - 1] as string)),
  );
  if (isNext) return withIds(all.map((text, index) => ({ id: ids[index], text: text.replace(label, "") })));
  return withIds(all.map((text) => ({ id: undefined, text })));
}

const following = (id: string): string =>
  /\d/.test(id) ? String(Number(id) + 1) : String.fromCharCode(id.charCodeAt(0) + 1);

const letterAt = (index: number): string => String.fromCharCode(65 + index);

/** Generates letters for missing ids, or uses the texts if they are other options' letters. */
function withIds(bare: Bare[]): Option[] | undefined {
  const options = bare.map(({ id, text }) => ({
    id: id === undefined ? undefined : idOf(id),
    text: nameOf(text),
  }));
  if (options.length < 2 || options.length > maxQuestionOptions) return undefined;
  if (options.some(({ text }) => text === undefined)) return undefined;
  const isGiven = bare.every(({ id }) => id !== undefined);
  if (isGiven && options.some(({ id }) => id === undefined)) return undefined;
  const texts = options.map(({ text }) => text as string);
  if (isGiven) return options as Option[];
  return lettered(texts);
}

function lettered(texts: string[]): Option[] {
  const letters = texts.map((_, index) => letterAt(index));
  const isCrossed = texts.some((text, index) => letters.includes(text) && text !== letters[index]);
  return texts.map((text, index) => ({ id: isCrossed ? text : (letters[index] as string), text }));
}

/** Removes duplicate options. If an id repeats with different texts, all get letters. */
function uniqueIds(options: Option[] | undefined): Option[] | undefined {
  if (!options) return undefined;
  const once = [
    ...new Map(options.map((option) => [JSON.stringify([option.id, option.text]), option])).values(),
  ];
  if (once.length < 2) return undefined;
  if (new Set(once.map(({ id }) => id)).size === once.length) return once;
  const texts = once.map(({ text }) => text);
  if (new Set(texts).size < texts.length) return undefined;
  const again = lettered(texts);
  return new Set(again.map(({ id }) => id)).size === again.length ? again : undefined;
}

/** A control character other than a line break is an error, such as LaTeX read as an escape. */
const control = /[^\n\P{Cc}]/u;

function plainText(value: unknown): string | undefined {
  const text = typeof value === "string" ? value.replaceAll("\r\n", "\n") : "";
  return text.trim() !== "" && text.isWellFormed() && !control.test(text) ? text.trim() : undefined;
}

const nameOf = (value: unknown): string | undefined => plainText(value)?.normalize("NFC");

function idOf(value: unknown): string | undefined {
  const id = nameOf(value);
  return id && id.length <= maxQuestionIdCharacters && !id.includes("\n") ? id : undefined;
}

const derivedId = (question: string, options: Option[]): string =>
  `q-${createHash("sha256")
    .update(JSON.stringify([question, options]))
    .digest("hex")
    .slice(0, 8)}`;
