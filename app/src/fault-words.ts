import { interpolate, type Values } from "./interpolate.ts";
import { sentenceOf, valuesIn } from "./values-in.ts";

/** One entry of a 422. */
export type Fault = { msg: string; type: string; ctx?: Values };

type Sentences = Readonly<Record<string, string>>;

/**
 * What a fault of a 422 says, in a language with those sentences: where the service's words are a rule's own (`fault.…`), that
 * rule's; else its type's (`type.…`), with the values of `ctx`, or of the words where the service sends none; else a general
 * one. Numbers, days and lists are written as the language does.
 */
export function faultIn(fault: Fault, english: Sentences, own: Sentences, language: string): string {
  const rules = Object.fromEntries(Object.entries(english).filter(([name]) => name.startsWith("fault.")));
  const [rule = "", read] = sentenceOf(rules, fault.msg.replace(/^Value error, /, "")) ?? [];
  const type = `type.${fault.type}`;
  return (
    filled(own[rule], { ...read }, language) ??
    filled(own[type], { ...valuesIn(english[type] ?? "", fault.msg), ...fault.ctx }, language) ??
    own["type.unknown"] ??
    fault.msg
  );
}

/** Nothing where a value is not known. */
function filled(sentence: string | undefined, values: Values, language: string): string | undefined {
  const names = [...(sentence ?? "").matchAll(/\{(\w+)/g)].map(([, name = ""]) => name);
  if (sentence === undefined || names.some((name) => values[name] === undefined)) return undefined;
  const written = names.map((name) => [name, valueIn(values[name] ?? "", language)]);
  return interpolate(sentence, Object.fromEntries(written), language);
}

function valueIn(value: string | number, language: string): string {
  const text = String(value);
  if (/^-?\d+(\.\d+)?$/.test(text))
    return new Intl.NumberFormat(language, { maximumFractionDigits: 20 }).format(Number(text));
  if (/^\d{4}-\d\d-\d\d$/.test(text))
    return new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone: "UTC" }).format(new Date(text));
  return alternativesIn(text, language);
}

/** Of `'A', 'B' or 'C'`, as FastAPI lists what is expected, the same in that language; any other text as it is. */
function alternativesIn(text: string, language: string): string {
  if (!/^'[^']*'((, | or )'[^']*')*$/.test(text)) return text;
  const values = [...text.matchAll(/'([^']*)'/g)].map(([, value = ""]) => value);
  return new Intl.ListFormat(language, { type: "disjunction" }).format(values);
}
