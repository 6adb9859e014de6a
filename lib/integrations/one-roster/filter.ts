import { type SQL, sql } from "drizzle-orm";
import { OneRosterError } from "./protocol.ts";

type Matches = (value: SQL) => SQL;

/** A field in SQL. */
export type FilterField = {
  kind: "text" | "moment" | "date" | "flag" | "number";
  value: SQL;
  /** That one of several values matches. */
  some?: (matches: Matches, university: number) => SQL;
  /** That class `run` may have matching rows. Undefined if only reading all rows of all classes can tell. */
  ofClass?: (matches: Matches, predicate: Predicate) => SQL | undefined;
};

export type FilterFields = Readonly<Record<string, FilterField>>;

export type Predicate = { field: string; operator: string; operand: string };

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
export const oneRosterFilterCondition = (
  filter: OneRosterFilter,
  fields: FilterFields,
  university: number,
): SQL =>
  joined(filter, (predicate) => {
    const field = fieldOf(predicate, fields);
    const matches = comparisonWith(field, predicate);
    return field.some ? field.some(matches, university) : sql`coalesce(${matches(field.value)}, false)`;
  });

/** That class `run` may have rows that match. Throws 400 if a field cannot tell. */
export const classFilterCondition = (filter: OneRosterFilter, fields: FilterFields): SQL =>
  joined(filter, (predicate) => {
    const field = fieldOf(predicate, fields);
    const condition = field.ofClass?.(comparisonWith(field, predicate), predicate);
    if (condition) return condition;
    throw invalidFilter(
      `${predicate.field} ${predicate.operator} needs a class: add AND class.sourcedId='class-7', or use /classes/{sourcedId}`,
    );
  });

function joined({ predicates, isAny }: OneRosterFilter, toCondition: (one: Predicate) => SQL): SQL {
  if (predicates.length === 0) return sql`true`;
  return sql`(${sql.join(predicates.map(toCondition), isAny ? sql` or ` : sql` and `)})`;
}

function fieldOf({ field }: Predicate, fields: FilterFields): FilterField {
  const found = Object.hasOwn(fields, field) ? fields[field] : undefined;
  if (!found) throw invalidFilter(`Resources cannot be filtered by ${field.slice(0, 64)}`);
  return found;
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
function comparisonWith({ kind }: FilterField, { operator, operand }: Predicate): Matches {
  if (kind === "text" && operator === "~")
    return (value) => sql`position(lower(${operand}::text) in lower(${value})) > 0`;
  const compare = comparisons.get(operator);
  if (!compare || (kind === "flag" && operator !== "=" && operator !== "!="))
    throw invalidFilter(`${operator} cannot compare this field`);
  if (kind === "text") return (value) => compare(sql`lower(${value})`, sql`lower(${operand}::text)`);
  const wanted = operandOf(kind, operand);
  return (value) => compare(value, wanted);
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
