import { interpolate, type Values } from "./interpolate.ts";
import { sentenceOf, valuesIn } from "./values-in.ts";

/*
 * The values of what the service refuses, in a language with those words: of a field its label, of a thing, a role or a
 * state its name, of a sentence within the sentence what that says. What people have written, and what programs and files
 * call something, stays as it is.
 */

type Words = Readonly<Record<string, string>>;

/** What a language says: of values their names, of a 422 and of what cannot be read the sentences; those in English, too. */
export type Spoken = { language: string; refusals: Words; faults: Words; values: Words; english: English };
export type English = { refusals: Words; faults: Words };

/**
 * What a refusal says, by its code, in those words; what was said where the code is none that is known. Without its values a
 * sentence is said that needs none, such as that a thing was not found.
 */
export function refusalInWords(code: string | null, said: string, spoken: Spoken): string {
  const { refusals, english, language } = spoken;
  const [words, original] = [refusals[code ?? ""], english.refusals[code ?? ""]];
  if (words === undefined || original === undefined) return said;
  const values = valuesIn(original, said);
  if (!values && words.includes("{")) return said;
  const sentence = namesColumns.test(code ?? "") ? words : withLabels(words, spoken);
  return interpolate(sentence, valuesInWords(values ?? {}, spoken), language);
}

/** Of a file of rows the columns are named as its first line has them. */
export const namesColumns = /^(row_|fault\.column)/;

/** What a field is called where people fill it in: by its whole path, or by the last step that has a name. */
export function labelOf(path: readonly (string | number)[], { values }: Spoken): string | undefined {
  const steps = path.filter((step) => typeof step === "string");
  const names = [steps.join("."), ...steps.toReversed()];
  return names.map((name) => values[`field.${name}`]).find((label) => label !== undefined);
}

/** A sentence with the labels of fields in place of their names, which are in snake case or begin with `config`. */
export const withLabels = (sentence: string, spoken: Spoken): string =>
  sentence.replaceAll(/(?<![{\w])(config\.\w+|[a-z]+(?:_[a-z]+)+)(?!\w)/g, (name) => {
    const label = spoken.values[`field.${name}`];
    return label === undefined ? name : quoted(label, spoken);
  });

/** A word for one of the values that the service knows by a name of its own; undefined for any other. */
export const wordFor = (value: string, { values }: Spoken): string | undefined =>
  values[`value.${value}`] ?? values[`value.${value.toUpperCase()}`];

/** The values of a refusal as the language writes them. */
export const valuesInWords = (values: Values, spoken: Spoken): Values =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, valueInWords(name, String(value), spoken)]),
  );

/** The same of one of them. */
export function valueInWords(name: string, value: string, spoken: Spoken): string {
  if (name === "thing" || name === "resource") return thingIn(value, spoken);
  if (name === "field") return fieldIn(value, spoken);
  if (name === "other") return quoted(fieldIn(value, spoken), spoken);
  if (name === "person") return thingIn(`User ${value}`, spoken);
  if (name === "rule") return spoken.values["rule.other"] ?? value;
  if (name === "element" || name === "media") return spoken.values[`element.${value}`] ?? value;
  if (name === "question_kind") return spoken.values[`question.${value}`] ?? value;
  if (name === "dependents") return dependentsIn(value, spoken);
  if (sentences.has(name)) return sentencesIn(value, spoken);
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return momentIn(value, spoken.language);
  if (amounts.has(name) && /^\d+(\.\d+)?$/.test(value)) return numberIn(Number(value), spoken.language);
  return known.has(name) ? (wordFor(value, spoken) ?? value) : value;
}

/** What is said in a sentence of its own, what one of a few known words, and what is counted. */
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

/** Of `Course code 'PHY101'` the field and what was given, of `File 12` the thing's name. */
function thingIn(thing: string, spoken: Spoken): string {
  const [, field, value = ""] = /(?<= )([a-z]+(?:_[a-z]+)*) '(.*)'$/s.exec(thing) ?? [];
  if (field !== undefined) return `${fieldIn(field, spoken)} ${quoted(value, spoken)}`;
  const [, name = "", number = ""] = /^(.*?)( \d+)?$/s.exec(thing) ?? [];
  return (spoken.values[`thing.${name}`] ?? otherIn(name, spoken)) + number;
}

const fieldIn = (name: string, spoken: Spoken): string =>
  labelOf([name], spoken) ?? labelOf(name.split("."), spoken) ?? otherIn(name, spoken);

/** For a name that none of the words is of, and that is English. */
const otherIn = (name: string, { language, values }: Spoken): string =>
  language === "en" ? name : (values["thing.other"] ?? name);

const quoted = (value: string, { values }: Spoken): string =>
  (values["quoted"] ?? "'{value}'").replace("{value}", () => value);

const dependentsIn = (dependents: string, { values }: Spoken): string =>
  dependents.replaceAll(/\(version (\d+)\)/g, (_, version) =>
    (values["prompt.version"] ?? "").replace("{version}", version),
  );

export const numberIn = (number: number, language: string): string =>
  new Intl.NumberFormat(language, { maximumFractionDigits: 20 }).format(number);

const momentIn = (moment: string, language: string): string =>
  new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }).format(new Date(moment));

/**
 * One sentence or several, each in the language's words; a general one for what is none that is known, which English has no
 * need of.
 */
function sentencesIn(said: string, spoken: Spoken): string {
  if (said === "") return said;
  const words: string[] = [];
  let rest: string[] = [];
  for (const piece of said.split(". ")) {
    // A name may have a full stop in it.
    rest.push(piece);
    const says = sentenceIn(rest.join(". "), spoken);
    if (says === undefined) continue;
    words.push(says);
    rest = [];
  }
  if (rest.length === 0) return words.join(". ");
  return spoken.language === "en" ? said : (spoken.faults["fault.other"] ?? said);
}

/** A limit stands behind the name of what has it. */
const subject = /^(Input|File|It|ZIP archive) (?=should have at most )/;

/** The rule of a field, or of what stands in a sentence, that says just that, with its values. */
export function ruleOf(said: string, { faults }: English): [name: string, values: Values] | undefined {
  const rules = Object.fromEntries(Object.entries(faults).filter(([name]) => name.startsWith("fault.")));
  return sentenceOf(rules, said) ?? sentenceOf(rules, said.replace(subject, ""));
}

/** What is said of a field by the kind of its fault alone, such as that a text is too long. */
const typeOf = (said: string, { faults }: English): [name: string, values: Values] | undefined =>
  sentenceOf(Object.fromEntries(Object.entries(faults).filter(([name]) => namesKind.test(name))), said);

/** Of a value that was to be one of several, the words are anything. */
const namesKind = /^type\.(?!enum$)/;

function sentenceIn(said: string, spoken: Spoken): string | undefined {
  const { english, faults, refusals, language } = spoken;
  const [rule = "", values = {}] = ruleOf(said, english) ?? [];
  if (faults[rule] !== undefined) return interpolate(faults[rule], valuesInWords(values, spoken), language);
  const code = Object.keys(refusals).find((name) => english.refusals[name] === said);
  if (code) return refusals[code];
  const [type = "", found = {}] = typeOf(said, english) ?? [];
  if (faults[type] !== undefined) return interpolate(faults[type], valuesInWords(found, spoken), language);
  const [filled = "", given = {}] = sentenceOf(wholeSentences(english), said) ?? [];
  return refusals[filled] && interpolate(refusals[filled], valuesInWords(given, spoken), language);
}

/** Refusals that are known by words of their own, whatever their values are. */
const wholeSentences = ({ refusals }: English): Words =>
  Object.fromEntries(
    Object.entries(refusals).filter(([, words]) => words.replaceAll(/\{\w+\}/g, "").length > 20),
  );
