import { stripValidatorPrefix } from "./components/field-issues.ts";
import {
  columnErrorCodePattern,
  type ErrorTextsOfLanguage,
  formatNumberInLanguage,
  knownValueLabel,
  matchEnglishValidationMessage,
  replaceFieldNamesByLabels,
  translateErrorValue,
} from "./error-value-labels.ts";
import { type InterpolationValues, interpolatePlaceholders } from "./interpolate.ts";
import { matchMessageTemplate } from "./match-template.ts";

export type ValidationIssue = { msg: string; type: string; ctx?: InterpolationValues };

/**
 * The message of a 422 entry in the reader's language: by rule (`fault.…`), else by type (`type.…`) with the
 * values of `ctx`, else a general one. Numbers, dates and lists are localized, and fields shown by label.
 */
export function translateValidationIssue(issue: ValidationIssue, spoken: ErrorTextsOfLanguage): string {
  const said = stripValidatorPrefix(issue.msg);
  const { english, faults: own } = spoken;
  const [rule = "", read] = matchEnglishValidationMessage(said, english) ?? [];
  const type = `type.${issue.type}`;
  const values = { ...matchMessageTemplate(english.faults[type] ?? "", issue.msg), ...issue.ctx };
  return (
    filled(own[rule], { ...read }, spoken, columnErrorCodePattern.test(rule)) ??
    filled(hasWords(values["expected"], spoken) ? own[type] : own["fault.enum"], values, spoken) ??
    (spoken.language === "en" ? replaceFieldNamesByLabels(said, spoken) : own["type.unknown"]) ??
    issue.msg
  );
}

/** Undefined if a value is missing. */
function filled(
  sentence: string | undefined,
  values: InterpolationValues,
  spoken: ErrorTextsOfLanguage,
  asItIs = false,
): string | undefined {
  const names = [...(sentence ?? "").matchAll(/\{(\w+)/g)].map(([, name = ""]) => name);
  if (sentence === undefined || names.some((name) => values[name] === undefined)) return undefined;
  const written = names.map((name) => [name, valueIn(name, String(values[name]), spoken)]);
  const words = asItIs ? sentence : replaceFieldNamesByLabels(sentence, spoken);
  return interpolatePlaceholders(words, Object.fromEntries(written), spoken.language);
}

function valueIn(name: string, text: string, spoken: ErrorTextsOfLanguage): string {
  const { language } = spoken;
  if (/^-?\d+(\.\d+)?$/.test(text)) return formatNumberInLanguage(Number(text), language);
  if (/^\d{4}-\d\d-\d\d$/.test(text))
    return new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone: "UTC" }).format(new Date(text));
  return alternativesIn(text, spoken) ?? translateErrorValue(name, text, spoken);
}

/** The values in FastAPI's list `'A', 'B' or 'C'`. Undefined for other text. */
const listedIn = (text: string): string[] | undefined =>
  /^'[^']*'((, | or )'[^']*')*$/.test(text)
    ? [...text.matchAll(/'([^']*)'/g)].map(([, value = ""]) => value)
    : undefined;

const alternativesIn = (text: string, spoken: ErrorTextsOfLanguage): string | undefined => {
  const words = listedIn(text)?.map((value) => knownValueLabel(value, spoken) ?? value);
  return words && new Intl.ListFormat(spoken.language, { type: "disjunction" }).format(words);
};

/** Whether the expected values have readable names. */
const hasWords = (expected: InterpolationValues[string] | undefined, spoken: ErrorTextsOfLanguage): boolean =>
  (listedIn(String(expected)) ?? []).every(
    (value) => !isName(value) || knownValueLabel(value, spoken) !== undefined,
  );

const isName = (value: string): boolean => /^[\w:-]{2,}$/.test(value) && /[a-z]/i.test(value);
