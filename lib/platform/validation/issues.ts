import * as z from "zod";
import { notAnInteger } from "../../../schema/api/platform/fields.ts";
import { type FieldIssue, type IssueType, maxReportedIssues } from "../../errors.ts";
import { zodIssueMessage } from "./messages.ts";

z.config({ localeError: zodIssueMessage });

export type RequestPart = "path" | "query" | "header" | "body";

const typeNames: Record<string, IssueType> = {
  string: "string_type",
  number: "float_type",
  int: "int_type",
  boolean: "bool_type",
  array: "list_type",
  object: "dict_type",
  record: "dict_type",
};

/** Path and query values are parsed from text, and every number there is an integer. */
const parsingNames: Record<string, IssueType> = {
  number: "int_parsing",
  int: "int_parsing",
  boolean: "bool_parsing",
};

const formatTypes: Record<string, IssueType> = {
  datetime: "datetime_parsing",
  date: "date_from_datetime_parsing",
};

/** Under FastAPI's names: the first issue per field, up to `maxIssues` fields. */
export function toFieldIssues(
  source: RequestPart,
  input: unknown,
  issues: readonly z.core.$ZodIssue[],
): FieldIssue[] {
  const firsts = new Map<string, FieldIssue>();
  for (const issue of issues) {
    if (firsts.size === maxReportedIssues) break;
    for (const fieldIssue of fieldIssuesOf(source, input, issue)) {
      const path = JSON.stringify(fieldIssue.loc);
      if (!firsts.has(path)) firsts.set(path, fieldIssue);
    }
  }
  return [...firsts.values()].slice(0, maxReportedIssues);
}

export function describeFirstIssue(
  input: unknown,
  { issues }: z.ZodError,
  whole: string,
): { field: string; fault: string | undefined } {
  const [first] = toFieldIssues("body", input, issues);
  return { field: first?.loc.slice(1).join(".") || whole, fault: first?.msg };
}

/** Unknown keys are one Zod issue, but one field issue per key. */
function fieldIssuesOf(source: RequestPart, input: unknown, issue: z.core.$ZodIssue): FieldIssue[] {
  if (issue.code !== "unrecognized_keys") return [fieldIssueOf(source, input, issue)];
  const extra = { msg: "Extra inputs are not permitted", type: "extra_forbidden" } as const;
  return issue.keys
    .slice(0, maxReportedIssues)
    .map((key) => ({ loc: [source, ...pathOf(issue), key], ...extra }));
}

const pathOf = ({ path }: z.core.$ZodIssue): (string | number)[] =>
  path.map((step) => (typeof step === "symbol" ? String(step) : step));

function fieldIssueOf(source: RequestPart, input: unknown, issue: z.core.$ZodIssue): FieldIssue {
  const path = pathOf(issue);
  const loc = [source, ...path];
  if (valueAt(input, path) === undefined) return { loc, msg: "Field required", type: "missing" };
  const ctx = contextOf(issue);
  return { loc, msg: issue.message, type: typeOf(issue, source), ...(ctx && { ctx }) };
}

function typeOf(issue: z.core.$ZodIssue, source: RequestPart): IssueType {
  switch (issue.code) {
    case "invalid_type":
      if (source === "body" && issue.message === notAnInteger) return "int_type";
      return (source === "body" ? typeNames : parsingNames)[issue.expected] ?? "value_error";
    case "too_small":
      return bound(issue.origin, {
        text: "string_too_short",
        number: issue.inclusive === false ? "greater_than" : "greater_than_equal",
        list: "too_short",
      });
    case "too_big":
      return bound(issue.origin, {
        text: "string_too_long",
        number: issue.inclusive === false ? "less_than" : "less_than_equal",
        list: "too_long",
      });
    case "not_multiple_of":
      return "multiple_of";
    case "invalid_value":
      return "enum";
    case "invalid_format":
      return formatTypes[issue.format] ?? "value_error";
    default:
      return "value_error";
  }
}

/** The issue's limits under FastAPI's names. */
function contextOf(issue: z.core.$ZodIssue): FieldIssue["ctx"] {
  switch (issue.code) {
    case "too_small": {
      const name = issue.inclusive === false ? "gt" : "ge";
      return {
        [bound(issue.origin, { text: "min_length", number: name, list: "min_length" })]: Number(
          issue.minimum,
        ),
      };
    }
    case "too_big": {
      const name = issue.inclusive === false ? "lt" : "le";
      return {
        [bound(issue.origin, { text: "max_length", number: name, list: "max_length" })]: Number(
          issue.maximum,
        ),
      };
    }
    case "not_multiple_of":
      return { multiple_of: issue.divisor };
    case "invalid_value":
      return { expected: alternatives(issue.values) };
    default:
      return undefined;
  }
}

/** As FastAPI lists them: `'A', 'B' or 'C'`. */
function alternatives(values: readonly unknown[]): string {
  const quoted = values.map((value) => `'${String(value)}'`);
  const last = quoted.pop() ?? "";
  return quoted.length > 0 ? `${quoted.join(", ")} or ${last}` : last;
}

function bound<Name>(origin: string, of: { text: Name; number: Name; list: Name }): Name {
  if (origin === "string") return of.text;
  return origin === "number" || origin === "int" ? of.number : of.list;
}

function valueAt(input: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (value, step) => (typeof value === "object" && value !== null ? Reflect.get(value, step) : undefined),
    input,
  );
}
