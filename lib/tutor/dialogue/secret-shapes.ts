import { fieldsWithColons } from "./field-tables.ts";
import {
  fieldPattern,
  keyFieldAliases,
  namesPattern,
  optionsFieldAliases,
  questionFieldAliases,
  translatedKeyFieldAliases,
} from "./key-fields.ts";
import { parseLenientJson } from "./lenient-json.ts";
import { joinSpelledOut, normalizeLinesForFields } from "./line-spelling.ts";
import { asObjectFields, findField, type ObjectFields } from "./object-fields.ts";
import { normalizeTextForFields } from "./plain-spelling.ts";
import { parseQuestionShape } from "./question-shape.ts";

const inLines = {
  answer: fieldPattern(keyFieldAliases.answer),
  misconceptions: fieldPattern(keyFieldAliases.misconceptions),
  skill: fieldPattern(keyFieldAliases.skill),
  because: fieldPattern(keyFieldAliases.because),
};
const inObjects = {
  answer: fieldPattern([...keyFieldAliases.answer, ...translatedKeyFieldAliases.answer]),
  key: fieldPattern(keyFieldAliases.key),
  misconceptions: fieldPattern([
    ...keyFieldAliases.misconceptions,
    ...translatedKeyFieldAliases.misconceptions,
  ]),
  skill: fieldPattern([...keyFieldAliases.skill, ...translatedKeyFieldAliases.skill]),
  because: fieldPattern([...keyFieldAliases.because, ...translatedKeyFieldAliases.because]),
  reason: fieldPattern(keyFieldAliases.reason),
};
const question = fieldPattern(questionFieldAliases);
const options = fieldPattern(optionsFieldAliases);
/** A call of the tool `ask`, by the field with its name, or as Python writes it. */
const ask =
  /["'“”‘’`](?:(?:tool_?)?name|tool|function|recipient_name|action)["'“”‘’`]?\s{0,4}:\s{0,4}["'“”‘’`](?:functions\.)?ask["'“”‘’`]|^(?:\w{1,20}\.){0,2}ask\(/i;

function hasKeyFields(text: string): boolean {
  const { answer, key, misconceptions, skill, because, reason } = inObjects;
  if (misconceptions.test(text)) return true;
  const others = [skill, because].filter((one) => one.test(text)).length;
  if (answer.test(text)) return others > 0 || reason.test(text);
  return others > 1 || (others === 1 && key.test(text));
}

/** Pairs such as `["answer", "A"]` as fields. */
const spelling = (text: string): string =>
  joinSpelledOut(normalizeTextForFields(text)).replaceAll(/\[\s*(["'][^"'\n]{1,40}["'])\s*,/g, "[$1:");

/** An object, a list of pairs or a tag with a key's fields. */
export const isKeyShape = (text: string): boolean => hasKeyFields(spelling(text));

const headingLine = /^[ \t]*(#{1,6}[^\n:]*|(?:\*\*|__)[^\n:*_]+(?:\*\*|__))[ \t]*$/gm;
const nameLine = new RegExp(
  `^(${namesPattern(Object.values({ ...keyFieldAliases, key: [], reason: [] }).flat())})[ \\t]{0,4}\\r?$`,
  "gimu",
);

/** Lines with a key's fields. In prose, lines also begin with "Key" and "Explanation". */
export function hasKeyLines(text: string): boolean {
  const plain = fieldsWithColons(normalizeLinesForFields(text))
    .replaceAll(/\|/g, ":")
    .replaceAll(headingLine, "$1:")
    .replaceAll(nameLine, "$1:");
  const { answer, ...others } = inLines;
  return answer.test(plain) && Object.values(others).some((one) => one.test(plain));
}

const letter = new RegExp(
  `${namesPattern(keyFieldAliases.answer)}["'*_\`]{0,3}\\s{0,4}[:=]\\s{0,4}["'(*]{0,3}(?:[A-H]|\\d)(?![\\p{L}\\p{N}])`,
  "iu",
);

/** Within a line of prose, which may ask for an answer and its reason, but names neither option nor skill. */
export function hasInlineKey(line: string): boolean {
  const plain = normalizeTextForFields(line);
  const { answer, misconceptions, skill, because } = inLines;
  if (misconceptions.test(plain) || skill.test(plain)) return answer.test(plain);
  const paired = fieldsWithColons(plain);
  return letter.test(paired) && [misconceptions, skill, because].some((one) => one.test(paired));
}

/** An object with one of a key's fields. The others may be in objects behind it. */
export function isPartOfKey(text: string): boolean {
  const plain = spelling(text);
  const { reason: _, key: __, ...fields } = inObjects;
  return Object.values(fields).some((one) => one.test(plain));
}

/** A question with its key or answer, or a call that asks one. A question alone is no secret. */
export function isKeyedQuestionShape(text: string): boolean {
  const plain = normalizeTextForFields(text);
  if (ask.test(plain)) return true;
  const { key, answer } = inObjects;
  return question.test(plain) && options.test(plain) && [key, answer].some((one) => one.test(plain));
}

export function mayBecomeSecret(text: string): boolean {
  const plain = spelling(text);
  const { key: _, ...fields } = inObjects;
  return [...Object.values(fields), question, options, ask].some((one) => one.test(plain));
}

const inputNames = ["arguments", "parameters", "input", "args", "toolinput", "actioninput"];
const deepest = 4;

export function unwrapCallArguments(value: unknown): unknown {
  let inner = value;
  for (let depth = 0; depth < deepest; depth += 1) {
    const [only] = Array.isArray(inner) ? inner : [inner];
    const fields = asObjectFields(typeof only === "string" ? parseLenientJson(only)?.value : only);
    if (!fields) return value;
    if (depth > 0 && parseQuestionShape(fields, false)) return fields;
    inner = nextLayer(fields);
    if (inner === undefined) return depth === 0 ? value : fields;
  }
  return value;
}

const nextLayer = (fields: ObjectFields): unknown =>
  findField(fields, inputNames) ?? findField(fields, ["toolcalls", "function", "call"]);
