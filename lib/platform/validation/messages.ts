import type * as z from "zod";

const nouns: Record<string, string> = {
  int: "integer",
  array: "list",
  object: "dictionary",
  record: "dictionary",
  email: "email address",
  uuid: "UUID",
  url: "URL",
};

/** 422 messages in FastAPI's wording, unless the schema has its own. */
export function zodIssueMessage(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return validIs(issue.expected);
    case "too_small":
      return beyond(issue.origin, `greater than${orEqual(issue.inclusive)}`, "at least", issue.minimum);
    case "too_big":
      return beyond(issue.origin, `less than${orEqual(issue.inclusive)}`, "at most", issue.maximum);
    case "not_multiple_of":
      return `Input should be a multiple of ${issue.divisor}`;
    case "invalid_value":
      return `Input should be ${listed(issue.values.map((value) => JSON.stringify(value)))}`;
    case "invalid_format":
      return issue.format === "regex"
        ? `String should match pattern ${issue["pattern"]}`
        : validIs(issue.format);
  }
  return undefined;
}

const validIs = (what: string): string => `Input should be a valid ${nouns[what] ?? what}`;

const orEqual = (inclusive = true): string => (inclusive ? " or equal to" : "");

function beyond(origin: string, ofNumber: string, ofLength: string, limit: number | bigint): string {
  if (origin === "string") return `String should have ${ofLength} ${limit} characters`;
  return ["array", "set", "map"].includes(origin)
    ? `List should have ${ofLength} ${limit} items`
    : `Input should be ${ofNumber} ${limit}`;
}

const listed = (values: string[]): string =>
  new Intl.ListFormat("en", { type: "disjunction" }).format(values);
