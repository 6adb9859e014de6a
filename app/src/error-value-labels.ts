import { type InterpolationValues, interpolatePlaceholders } from "./interpolate.ts";
import { findMatchingMessageTemplate, matchMessageTemplate } from "./match-template.ts";

/*
 * Names for values in error messages: fields by label; entities, roles and states by name. User-entered text,
 * programs' and files' names stay unchanged.
 */

type Words = Readonly<Record<string, string>>;

/** The texts of a language: names of values, sentences for errors and 422s, and the English ones. */
export type ErrorTextsOfLanguage = {
  language: string;
  refusals: Words;
  faults: Words;
  values: Words;
  english: EnglishErrorTexts;
};
export type EnglishErrorTexts = { refusals: Words; faults: Words };

/**
 * An error message by code. Unknown codes keep the service's text. If values are missing, a sentence without
 * values is used.
 */
export function translateErrorByCode(
  code: string | null,
  said: string,
  spoken: ErrorTextsOfLanguage,
): string {
  const { refusals, english, language } = spoken;
  const [words, original] = [refusals[code ?? ""], english.refusals[code ?? ""]];
  if (words === undefined || original === undefined) return said;
  const values = matchMessageTemplate(original, said);
  if (!values && words.includes("{")) return said;
  const sentence = columnErrorCodePattern.test(code ?? "") ? words : replaceFieldNamesByLabels(words, spoken);
  return interpolatePlaceholders(sentence, translateErrorValues(values ?? {}, spoken), language);
}

/** Errors about files name columns as their header does. */
export const columnErrorCodePattern = /^(row_|fault\.column)/;

/** A field's label: by its full path, or by the last step that has one. */
export function fieldLabel(
  path: readonly (string | number)[],
  { values }: ErrorTextsOfLanguage,
): string | undefined {
  const steps = path.filter((step) => typeof step === "string");
  const names = [steps.join("."), ...steps.toReversed()];
  return names.map((name) => values[`field.${name}`]).find((label) => label !== undefined);
}

/** Replaces field names in a sentence, in snake case or after `config.`, with labels. */
export const replaceFieldNamesByLabels = (sentence: string, spoken: ErrorTextsOfLanguage): string =>
  sentence.replaceAll(/(?<![{\w])(config\.\w+|[a-z]+(?:_[a-z]+)+)(?!\w)/g, (name) => {
    const label = spoken.values[`field.${name}`];
    return label === undefined ? name : quoted(label, spoken);
  });

/** The name of a known value, or undefined. */
export const knownValueLabel = (value: string, { values }: ErrorTextsOfLanguage): string | undefined =>
  values[`value.${value}`] ?? values[`value.${value.toUpperCase()}`];

/** All values of an error, localized. */
export const translateErrorValues = (
  values: InterpolationValues,
  spoken: ErrorTextsOfLanguage,
): InterpolationValues =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, translateErrorValue(name, String(value), spoken)]),
  );

export function translateErrorValue(name: string, value: string, spoken: ErrorTextsOfLanguage): string {
  if (name === "thing" || name === "resource") return thingIn(value, spoken);
  if (name === "field") return fieldIn(value, spoken);
  if (name === "other") return quoted(fieldIn(value, spoken), spoken);
  if (name === "person") return thingIn(`User ${value}`, spoken);
  if (name === "rule") return spoken.values["rule.other"] ?? value;
  if (name === "element" || name === "media") return spoken.values[`element.${value}`] ?? value;
  if (name === "setting") return spoken.values[`setting.${value.split(".").at(-1)}`] ?? value;
  if (name === "question_kind") return spoken.values[`question.${value}`] ?? value;
  if (name === "dependents") return dependentsIn(value, spoken);
  if (sentences.has(name)) return sentencesIn(value, spoken);
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return momentIn(value, spoken.language);
  if (amounts.has(name) && /^\d+(\.\d+)?$/.test(value))
    return formatNumberInLanguage(Number(value), spoken.language);
  return known.has(name) ? (knownValueLabel(value, spoken) ?? value) : value;
}

/** Values that are sentences, known words or counts. */
const sentences = new Set(["fault", "why", "reasons", "oldest"]);
const known = new Set([
  "course",
  "kind",
  "now",
  "purpose",
  "reason",
  "right",
  "role",
  "scope",
  "state",
  "version",
]);
const amounts = new Set([
  ...["characters", "count", "gigabytes", "kib", "limit", "megabytes", "most", "places", "promised"],
  ...["ge", "gt", "le", "lt", "max_length", "min_length", "multiple_of"],
]);

/** `Course code 'PHY101'` gives a field and its value, `File 12` an entity's name. */
function thingIn(thing: string, spoken: ErrorTextsOfLanguage): string {
  const [, field, value = ""] = /(?<= )([a-z]+(?:_[a-z]+)*) '(.*)'$/s.exec(thing) ?? [];
  if (field !== undefined) return `${fieldIn(field, spoken)} ${quoted(value, spoken)}`;
  const [, name = "", number = ""] = /^(.*?)( \d+)?$/s.exec(thing) ?? [];
  return (spoken.values[`thing.${name}`] ?? otherIn(name, spoken)) + number;
}

const fieldIn = (name: string, spoken: ErrorTextsOfLanguage): string =>
  fieldLabel([name], spoken) ?? fieldLabel(name.split("."), spoken) ?? otherIn(name, spoken);

/** A fallback for unknown names, which are in English. */
const otherIn = (name: string, { language, values }: ErrorTextsOfLanguage): string =>
  language === "en" ? name : (values["thing.other"] ?? name);

const quoted = (value: string, { values }: ErrorTextsOfLanguage): string =>
  (values["quoted"] ?? "'{value}'").replace("{value}", () => value);

const dependentsIn = (dependents: string, { values }: ErrorTextsOfLanguage): string =>
  dependents.replaceAll(/\(version (\d+)\)/g, (_, version) =>
    (values["prompt.version"] ?? "").replace("{version}", version),
  );

export const formatNumberInLanguage = (number: number, language: string): string =>
  new Intl.NumberFormat(language, { maximumFractionDigits: 20 }).format(number);

const momentIn = (moment: string, language: string): string =>
  new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }).format(new Date(moment));

/** One or more sentences, translated. Unknown ones become a general sentence, except in English. */
function sentencesIn(said: string, spoken: ErrorTextsOfLanguage): string {
  if (said === "") return said;
  const words: string[] = [];
  let rest: string[] = [];
  for (const piece of said.split(". ")) {
    // A name may contain a full stop.
    rest.push(piece);
    const says = sentenceIn(rest.join(". "), spoken);
    if (says === undefined) continue;
    words.push(says);
    rest = [];
  }
  if (rest.length === 0) return words.join(". ");
  return spoken.language === "en" ? said : (spoken.faults["fault.other"] ?? said);
}

/** In limits, the sentence starts with the name of its subject. */
const subject = /^(Input|File|It|ZIP archive) (?=should have at most )/;

/** The rule whose English sentence matches, with its values. */
export function matchEnglishValidationMessage(
  said: string,
  { faults }: EnglishErrorTexts,
): [name: string, values: InterpolationValues] | undefined {
  const rules = Object.fromEntries(Object.entries(faults).filter(([name]) => name.startsWith("fault.")));
  return (
    findMatchingMessageTemplate(rules, said) ?? findMatchingMessageTemplate(rules, said.replace(subject, ""))
  );
}

/** The type whose English sentence matches, for example that a text is too long. */
const typeOf = (
  said: string,
  { faults }: EnglishErrorTexts,
): [name: string, values: InterpolationValues] | undefined =>
  findMatchingMessageTemplate(
    Object.fromEntries(Object.entries(faults).filter(([name]) => namesKind.test(name))),
    said,
  );

/** Not `enum`: its sentence would match any text. */
const namesKind = /^type\.(?!enum$)/;

function sentenceIn(said: string, spoken: ErrorTextsOfLanguage): string | undefined {
  const { english, faults, refusals, language } = spoken;
  const [rule = "", values = {}] = matchEnglishValidationMessage(said, english) ?? [];
  if (faults[rule] !== undefined)
    return interpolatePlaceholders(faults[rule], translateErrorValues(values, spoken), language);
  const code = Object.keys(refusals).find((name) => english.refusals[name] === said);
  if (code) return refusals[code];
  const [type = "", found = {}] = typeOf(said, english) ?? [];
  if (faults[type] !== undefined)
    return interpolatePlaceholders(faults[type], translateErrorValues(found, spoken), language);
  const [filled = "", given = {}] = findMatchingMessageTemplate(wholeSentences(english), said) ?? [];
  return (
    refusals[filled] &&
    interpolatePlaceholders(refusals[filled], translateErrorValues(given, spoken), language)
  );
}

/** Errors that are identified by their full sentence, regardless of values. */
const wholeSentences = ({ refusals }: EnglishErrorTexts): Words =>
  Object.fromEntries(
    Object.entries(refusals).filter(([, words]) => words.replaceAll(/\{\w+\}/g, "").length > 20),
  );
