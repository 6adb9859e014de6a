import { getTableName, is, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import {
  type AnyPgColumn,
  bigint,
  check,
  customType,
  date,
  integer,
  jsonb,
  numeric,
  PgColumn,
  PgCustomColumn,
  PgNumericNumber,
  text,
  type UpdateDeleteAction,
} from "drizzle-orm/pg-core";

/*
 * How each kind of value is stored and spelled. A column has the same name in the database and in responses,
 * so a selected row can be returned unchanged.
 */

/** The moment at which the current transaction began, by the service's clock. */
export const now = sql`service_now()`;

/** The same by the machine's own: for leases and signs of life alone, which no rule for people looks at. */
export const machineNow = sql`now()`;

/** An integer primary key that the database counts. */
export const id = () => integer().primaryKey().generatedAlwaysAsIdentity();

/** A primary key for tables that grow by the event rather than by the person; safe up to 2^53. */
export const bigId = () => bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity();

/** A reference to such an id, with or without a foreign key. */
export const bigReferenceId = () => bigint({ mode: "number" });

/** A foreign key to such an id. Callers must state the effect of the target's deletion. */
export const bigReference = (target: () => AnyPgColumn, onDelete: UpdateDeleteAction) =>
  bigReferenceId().references(target, { onDelete });

/** A foreign key to an integer id. Callers must state the effect of the target's deletion. */
export const reference = (target: () => AnyPgColumn, onDelete: UpdateDeleteAction) =>
  integer().references(target, { onDelete });

/** The address of a stored answer, as `node_key` (cache-node-keys.sql) computes it. */
export const nodeKey = () =>
  customType<{ data: Buffer }>({ dataType: () => "bytea" })().generatedAlwaysAs(
    sql`node_key(content_item_id, parent_id, message, prompt_name, prompt_version, model, prompt_fingerprint, content_fingerprint)`,
  );

/** The number of writes of a row, from 1. Writers may name the version that they read (`If-Match`). */
export const rowVersion = () => integer().notNull().default(1);

/** A moment as the database prints it in any time zone: `0050-01-31 09:00:00.5-00:01:15`, or ISO 8601 in JSON. */
const printed = /^(\d+)(-\d\d-\d\d)[ T]([\d:.]+)(?:Z|([+-])(\d\d)(?::(\d\d))?(?::(\d\d))?)( BC)?$/;

/** Nearly every moment: to the millisecond, in UTC, as the database prints it with no zone set. */
const printedInUtc = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d{1,3}))?\+00(?::00)?$/;

/** The same as ISO 8601 that ends in `Z`. JavaScript alone would take the year 50 for 1950. */
export function toInstant(stored: string): string {
  const utc = printedInUtc.exec(stored);
  if (utc) return `${utc[1]}T${utc[2]}.${(utc[3] ?? "").padEnd(3, "0")}Z`;
  const [, year = "", day, time, sign = "+", hours = 0, minutes = 0, seconds = 0, isBefore] =
    printed.exec(stored) ?? [];
  const fullYear = String(isBefore ? 1 - Number(year) : Number(year)).padStart(6, "0");
  const offset = Number(`${sign}1`) * ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds));
  return new Date(Date.parse(`+${fullYear}${day}T${time}Z`) - offset * 1000).toISOString();
}

/** The type of a moment as PostgreSQL calls it. */
export const instantType = "timestamp (3) with time zone";

/** A moment to the millisecond, as ISO 8601 that ends in `Z`. Written with any offset. */
export const instant = customType<{ data: string; driverData: string }>({
  dataType: () => instantType,
  fromDriver: toInstant,
});

/** A day without a time, as `YYYY-MM-DD`. */
export const calendarDate = () => date({ mode: "string" });

/** An exact decimal that is a number in JavaScript; within the 15 digits that a number holds exactly. */
export const decimal = (precision: number, scale: number) => numeric({ precision, scale, mode: "number" });

/** Any JSON value of a known shape. */
export const json = <T>() => jsonb().$type<T>();

/** A JSON object; without a type, one of unknown keys. */
export const jsonObject = <T extends object = Record<string, unknown>>() => json<T>();

/** The words of a text as PostgreSQL searches them. */
export const searchWords = customType<{ data: string }>({ dataType: () => "tsvector" });

/** An enumeration that is stored in lowercase and answered in UPPERCASE; any letter case is understood. */
export const upperEnum = <Value extends string>() =>
  customType<{ data: Uppercase<Value>; driverData: string }>({
    dataType: () => "text",
    toDriver: (value) => value.toLowerCase(),
    fromDriver: (stored) => stored.toUpperCase() as Uppercase<Value>,
  })();

/** An enumeration that is stored and answered in lowercase. */
export const lowerEnum = <Value extends string>() => text().$type<Value>();

/** A column in PostgreSQL's JSON format, as in a response: equal to reading a row. */
export function wireForm(column: SQLWrapper): SQL {
  if (!is(column, PgColumn)) return sql`${column}`;
  if (column.getSQLType() === instantType) return momentForm(column);
  if (is(column, PgNumericNumber)) return sql`${column}::float8`;
  return is(column, PgCustomColumn) ? sql`upper(${column})` : sql`${column}`;
}

/** A moment as it is answered. */
export const momentForm = (moment: SQLWrapper): SQL =>
  sql`to_char(${moment} at time zone 'UTC', ${isoFormat})`;

const isoFormat = sql.raw(`'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`);

/** The check that an enumeration's column holds one of its listed values; part of every table that has one. */
export const oneOf = (column: AnyPgColumn, values: readonly string[]) =>
  check(`${getTableName(column.table)}_${column.name}_check`, sql`${column} in (${literals(values)})`);

/** When the row was made, and when it last changed. */
export const timestamps = () => ({
  created_at: instant().notNull().default(now),
  updated_at: instant()
    .notNull()
    .default(now)
    .$onUpdate(() => now),
});

// A check is stored with the table, so its values cannot be parameters. They are constants of our own.
const literals = (values: readonly string[]): SQL => sql.raw(values.map((value) => `'${value}'`).join(", "));
