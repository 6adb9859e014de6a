import { type SQL, sql } from "drizzle-orm";
import { OneRosterError } from "./protocol.ts";

/** A field in SQL. With `list`, one of its values must match. */
export type FilterField = {
  kind: "text" | "moment" | "date" | "flag" | "number";
  value: SQL;
  list?: SQL;
};

export type FilterFields = Readonly<Record<string, FilterField>>;

type Predicate = { field: string; operator: string; operand: string };

export type OneRosterFilter = { predicates: readonly Predicate[]; isAny: boolean };

const invalidFilter = (detail: string) => new OneRosterError(400, "invalid_filter_field", detail);

const predicate = /^\s*([A-Za-z][\w.]*)\s*(!=|>=|<=|=|>|<|~)\s*'((?:[^']|'')*)'\s*/;
const logical = /^(AND|OR)\s/i;

/** One predicate, or two with AND or OR (OneRoster 1.2, 3.4.3). Throws 400 for other texts. */
export function parseOneRosterFilter(filter: string | undefined): OneRosterFilter {
  if (filter === undefined) return { predicates: [], isAny: false };
  const [first, rest] = nextPredicate(filter);
  if (rest === "") return { predicates: [first], isAny: false };
  const [, word = ""] = logical.exec(rest) ?? [];
  if (word === "") throw invalidFilter("A second predicate must follow AND or OR");
  const [second, left] = nextPredicate(rest.slice(word.length));
  if (left !== "") throw invalidFilter("A filter can have at most two predicates");
  return { predicates: [first, second], isAny: word.toUpperCase() === "OR" };
}

function nextPredicate(text: string): [Predicate, string] {
  const [matched, field, operator, operand] = predicate.exec(text) ?? [];
  if (matched === undefined || !field || !operator || operand === undefined)
    throw invalidFilter("A predicate must be a field, one of = != > >= < <= ~, and a value in apostrophes");
  return [{ field, operator, operand: operand.replaceAll("''", "'") }, text.slice(matched.length)];
}

/** Throws 400 for an unknown field, or an operand of another type. */
export function oneRosterFilterCondition({ predicates, isAny }: OneRosterFilter, fields: FilterFields): SQL {
  if (predicates.length === 0) return sql`true`;
  const conditions = predicates.map((one) => predicateCondition(one, fields));
  return sql`(${sql.join(conditions, isAny ? sql` or ` : sql` and `)})`;
}

function predicateCondition({ field, operator, operand }: Predicate, fields: FilterFields): SQL {
  const found = Object.hasOwn(fields, field) ? fields[field] : undefined;
  if (!found) throw invalidFilter(`Resources cannot be filtered by ${field.slice(0, 64)}`);
  const condition = comparison(found, operator, operand);
  return found.list
    ? sql`exists (select from ${found.list} where ${condition})`
    : sql`coalesce(${condition}, false)`;
}

const comparisons = new Map<string, (found: SQL, wanted: SQL) => SQL>([
  ["=", (found, wanted) => sql`${found} = ${wanted}`],
  ["!=", (found, wanted) => sql`${found} is distinct from ${wanted}`],
  [">", (found, wanted) => sql`${found} > ${wanted}`],
  [">=", (found, wanted) => sql`${found} >= ${wanted}`],
  ["<", (found, wanted) => sql`${found} < ${wanted}`],
  ["<=", (found, wanted) => sql`${found} <= ${wanted}`],
]);

/** Texts are compared without case. */
function comparison({ kind, value }: FilterField, operator: string, operand: string): SQL {
  if (kind === "text" && operator === "~")
    return sql`position(lower(${operand}::text) in lower(${value})) > 0`;
  const compare = comparisons.get(operator);
  if (!compare || (kind === "flag" && operator !== "=" && operator !== "!="))
    throw invalidFilter(`${operator} cannot compare this field`);
  return kind === "text"
    ? compare(sql`lower(${value})`, sql`lower(${operand}::text)`)
    : compare(value, operandOf(kind, operand));
}

const day = /^(?!0000)\d{4}-\d\d-\d\d$/;

function operandOf(kind: Exclude<FilterField["kind"], "text">, operand: string): SQL {
  if (kind === "flag") {
    if (operand !== "true" && operand !== "false") throw invalidFilter("The value must be true or false");
    return sql`${operand === "true"}::boolean`;
  }
  if (kind === "number") {
    if (!/^-?\d{1,9}(\.\d{1,4})?$/.test(operand)) throw invalidFilter("The value must be a number");
    return sql`${operand}::numeric`;
  }
  const moment = new Date(operand);
  const isValid = !Number.isNaN(moment.getTime()) && day.test(operand.slice(0, 10));
  // JavaScript reads the 31st of February as a day in March.
  if (!isValid || (kind === "date" && moment.toISOString().slice(0, 10) !== operand))
    throw invalidFilter("The value must be a date in ISO 8601");
  return kind === "date" ? sql`${operand}::date` : sql`${moment.toISOString()}::timestamptz`;
}
