import {
  type EncodedOmission,
  encodeOmission,
  type ReportOmission,
} from "../../platform/results/omission-codes.ts";
import { truncate } from "../../platform/text/truncate.ts";
import { childElements, deepElementText, type Element } from "./xml.ts";

/** Settings of another program that exist here. */
export type ImportedSettings = {
  title?: string;
  /** HTML. */
  description?: string;
  available_from?: string;
  due_at?: string;
  lock_at?: string;
  points?: number;
  max_attempts?: number | null;
  time_limit_seconds?: number;
  show_answers?: "never";
  randomize_order?: boolean;
  anonymous?: boolean;
  group_submission?: boolean;
  /** The rubric's identifier. */
  rubric?: string;
  /** Unpublished. */
  is_active?: false;
};

export type SettingRule = {
  /** For the reference page. */
  becomes: string;
  /** Values that change nothing here. */
  same?: RegExp;
  /** Undefined if the value does not exist here. */
  take?(value: string): ImportedSettings | undefined;
  /** The value is reported although a part of it is taken over. */
  isPartial?: true;
  /** Instead of the line with name and value. */
  lost?: EncodedOmission;
};

export type SettingRules = Readonly<Record<string, SettingRule>>;

const maxSettingsLinesPerPart = 50;

const ruleOf = (rules: SettingRules, name: string): SettingRule | undefined =>
  Object.hasOwn(rules, name) ? rules[name] : undefined;

/** Elements with a value but no rule are reported by their path. */
export function applySettingRules(
  root: Element,
  rules: SettingRules,
): { taken: ImportedSettings; leftOut: EncodedOmission[] } {
  const taken: ImportedSettings = {};
  const lines: EncodedOmission[] = [];
  const read = (element: Element, path: string): void => {
    const rule = ruleOf(rules, path);
    const inner = childElements(element);
    if (!rule && inner.length > 0) {
      for (const one of inner) read(one, path === "" ? one.name : `${path}.${one.name}`);
      return;
    }
    if (path !== "") apply(path, deepElementText(element), rule, taken, lines);
  };
  read(root, "");
  return { taken, leftOut: firstDistinctOmissions(lines) };
}

/** Like `applySettingRules`, for pairs of a name and a value. */
export function applySettingRulesToPairs(
  pairs: Iterable<readonly [name: string, value: string]>,
  rules: SettingRules,
) {
  const taken: ImportedSettings = {};
  const lines: EncodedOmission[] = [];
  for (const [name, value] of pairs) apply(name, value, ruleOf(rules, name), taken, lines);
  return { taken, leftOut: firstDistinctOmissions(lines) };
}

function apply(
  name: string,
  value: string,
  rule: SettingRule | undefined,
  taken: ImportedSettings,
  lines: EncodedOmission[],
): void {
  if (value === "" || rule?.same?.test(value)) return;
  const found = rule?.take?.(value);
  if (found) Object.assign(taken, found);
  if (!found || rule?.isPartial) lines.push(rule?.lost ?? settingLine(name, value));
}

const settingLine = (setting: string, value: string): EncodedOmission =>
  encodeOmission("left_out_setting", { setting: truncate(setting, 100), value: truncate(value, 100) });

/** Reports a text that is cut. */
export function cutText(text: string, most: number, field: string, leaveOut: ReportOmission): string {
  if (text.length > most) leaveOut(encodeOmission("left_out_cut", { field, count: most }));
  return truncate(text, most);
}

export const maxItemDescriptionCharacters = 20_000;

/** The first fifty lines, and the number of others. */
export function firstDistinctOmissions(lines: readonly EncodedOmission[]): EncodedOmission[] {
  const distinct = [...new Set(lines)];
  if (distinct.length <= maxSettingsLinesPerPart) return distinct;
  return [
    ...distinct.slice(0, maxSettingsLinesPerPart),
    encodeOmission("left_out_further", { count: distinct.length - maxSettingsLinesPerPart }),
  ];
}

/** A line for each pair that the rules would take over, or report. */
export function omittedMetadata(
  pairs: Iterable<readonly [name: string, value: string]>,
  rules: SettingRules,
): EncodedOmission[] {
  return [...pairs].flatMap(([name, value]) => {
    const { taken, leftOut } = applySettingRulesToPairs([[name, value]], rules);
    return Object.keys(taken).length > 0 ? [settingLine(name, value)] : leftOut;
  });
}

/** A closing date without a due date is the due date; another one is reported. */
export function resolveItemDates({ available_from, due_at, lock_at }: ImportedSettings): {
  available_from?: string;
  due_at?: string;
  leftOut: EncodedOmission[];
} {
  const lines: EncodedOmission[] = [];
  const due = due_at ?? lock_at;
  if (lock_at !== undefined && lock_at !== due) lines.push(encodeOmission("left_out_until", { lock_at }));
  const isLate = available_from !== undefined && due !== undefined && available_from >= due;
  if (isLate) lines.push(encodeOmission("left_out_dates", { available_from }));
  return {
    ...(available_from !== undefined && !isLate && { available_from }),
    ...(due !== undefined && { due_at: due }),
    leftOut: lines,
  };
}

/** A line for each setting of a quiz whose only questions became assignments. */
export const omittedQuizSettings = ({
  time_limit_seconds,
  show_answers,
  randomize_order,
  description,
  points,
}: ImportedSettings): EncodedOmission[] =>
  Object.entries({ time_limit_seconds, show_answers, randomize_order, description, points }).flatMap(
    ([name, value]) => (value === undefined ? [] : [settingLine(name, String(value))]),
  );
