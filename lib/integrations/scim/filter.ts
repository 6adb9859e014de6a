import { type SQL, sql } from "drizzle-orm";
import { Filter } from "scimmy/types";
import { ScimError } from "./protocol.ts";
import { ensureNoPrototypeNames } from "./reject-prototype-names.ts";

/** Undefined if an attribute path cannot be filtered. */
export type ScimAttributeLookup = (path: string) => ScimAttribute | undefined;

/** An attribute in SQL: a text (case-insensitive unless `exact`), a flag, or a time. */
export type ScimAttribute = { kind: "text" | "flag" | "moment"; value: SQL; exact?: boolean; list?: SQL };

const maxScimFilterCharacters = 1000;
const maxScimFilterConditions = 32;

const invalidFilter = (detail: string) => new ScimError(400, detail, "invalidFilter");

/** As scimmy parses it: `["eq", "ada"]`, `["not", "sw", "a"]`, `["pr"]`. */
type Comparison = [string, ...unknown[]];

/**
 * A SQL condition with parameters. Throws SCIM's 400 for a filter that is invalid or too long, or an
 * attribute that cannot be filtered.
 */
export function scimFilterToSql(filter: string | undefined, attributes: ScimAttributeLookup): SQL {
  if (filter === undefined) return sql`true`;
  const conditions = new Conditions(attributes);
  return conditions.either(parsed(filter));
}

function parsed(filter: string): object[] {
  if (filter.length > maxScimFilterCharacters)
    throw invalidFilter(`A filter can have at most ${maxScimFilterCharacters} characters`);
  ensureNoPrototypeNames(filter, "invalidFilter");
  // The parser drops them.
  if (/(?:^|\s)(?:and|or|not)\s*$/i.test(filter)) throw invalidFilter("The filter is incomplete");
  try {
    return [...new Filter(filter)];
  } catch (error) {
    throw invalidFilter(error instanceof Error ? error.message : "The filter is malformed");
  }
}

class Conditions {
  private count = 0;
  private readonly attributes: ScimAttributeLookup;

  constructor(attributes: ScimAttributeLookup) {
    this.attributes = attributes;
  }

  either(expressions: readonly object[], prefix = ""): SQL {
    if (expressions.length === 0) throw invalidFilter("The filter is empty");
    return sql`(${sql.join(
      expressions.map((one) => this.all(one, prefix)),
      sql` or `,
    )})`;
  }

  private all(expression: object, prefix: string): SQL {
    const parts = Object.entries(expression).map(([name, wanted]) => this.of(prefix + name, wanted));
    return sql`(${sql.join(parts, sql` and `)})`;
  }

  private of(path: string, wanted: unknown): SQL {
    if (!Array.isArray(wanted)) return this.all(wanted as object, `${path}.`);
    if (typeof wanted[0] === "string") return this.compare(path, wanted as Comparison);
    const parts = wanted.map((one) =>
      Array.isArray(one) ? this.compare(path, one as Comparison) : this.all(one as object, `${path}.`),
    );
    return sql`(${sql.join(parts, sql` and `)})`;
  }

  private compare(path: string, comparison: Comparison): SQL {
    this.count += 1;
    if (this.count > maxScimFilterConditions)
      throw invalidFilter(`A filter can have at most ${maxScimFilterConditions} conditions`);
    const isNegated = comparison[0].toLowerCase() === "not";
    const [operator, operand] = (isNegated ? comparison.slice(1) : comparison) as Comparison;
    const attribute = this.attributes(path.toLowerCase());
    if (!attribute) throw invalidFilter(`Resources cannot be filtered by '${path}'`);
    const found = comparedWith(attribute, String(operator).toLowerCase(), operand);
    const condition = attribute.list ? sql`exists (select from ${attribute.list} where ${found})` : found;
    return isNegated ? sql`not coalesce(${condition}, false)` : sql`coalesce(${condition}, false)`;
  }
}

function comparedWith(
  { kind, value, exact = false }: ScimAttribute,
  operator: string,
  operand: unknown,
): SQL {
  if (operator === "pr") return sql`${value} is not null`;
  if (operand === undefined) throw invalidFilter(`'${operator}' needs a value`);
  if (operand === null) return operator === "ne" ? sql`${value} is not null` : sql`${value} is null`;
  if (kind === "flag") return flagIs(value, operator, operand);
  if (kind === "moment") return momentIs(value, operator, operand);
  const [found, wanted] = exact
    ? [value, sql`${String(operand)}::text`]
    : [sql`lower(${value})`, sql`lower(${String(operand)}::text)`];
  const written = texts.get(operator);
  if (!written) throw invalidFilter(`'${operator}' is not a comparison`);
  return written(found, wanted);
}

const orders = new Map<string, (found: SQL, wanted: SQL) => SQL>([
  ["eq", (found, wanted) => sql`${found} = ${wanted}`],
  ["ne", (found, wanted) => sql`${found} is distinct from ${wanted}`],
  ["gt", (found, wanted) => sql`${found} > ${wanted}`],
  ["ge", (found, wanted) => sql`${found} >= ${wanted}`],
  ["lt", (found, wanted) => sql`${found} < ${wanted}`],
  ["le", (found, wanted) => sql`${found} <= ${wanted}`],
]);

const texts: typeof orders = new Map([
  ...orders,
  ["co", (found, wanted) => sql`position(${wanted} in ${found}) > 0`],
  ["sw", (found, wanted) => sql`starts_with(${found}, ${wanted})`],
  ["ew", (found, wanted) => sql`right(${found}, length(${wanted})) = ${wanted}`],
]);

function flagIs(value: SQL, operator: string, operand: unknown): SQL {
  const wanted = String(operand).toLowerCase();
  if ((operator !== "eq" && operator !== "ne") || !["true", "false"].includes(wanted))
    throw invalidFilter("A boolean must be compared with true or false");
  return sql`${value} = ${(wanted === "true") === (operator === "eq")}::boolean`;
}

function momentIs(value: SQL, operator: string, operand: unknown): SQL {
  const moment = new Date(String(operand));
  const written = orders.get(operator);
  // PostgreSQL has no year 0.
  if (!written || !/^(?!0000)\d{4}-/.test(String(operand)) || Number.isNaN(moment.getTime()))
    throw invalidFilter("A time must be compared with a time in ISO 8601");
  return written(value, sql`${moment.toISOString()}::timestamptz`);
}
