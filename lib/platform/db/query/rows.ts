import { isDeepStrictEqual } from "node:util";
import { type GetColumnData, type SQL, sql } from "drizzle-orm";
import { type PgColumn, PgDialect } from "drizzle-orm/pg-core";
import * as z from "zod";
import { toInstant } from "../../../../schema/db/platform/columns.ts";
import { memoize } from "../../caching/memoize.ts";
import type { ReadDb } from "../client.ts";
import { areRowsChecked, isAnyRowCheckEnabled } from "../row-checks.ts";

/** A timestamp as the database formats it; `toInstant` parses it. */
export const StoredInstant = z.string().refine(isMoment, "Stored value should be a timestamp");

/** SQL and its schema disagree. */
export class UnexpectedRow extends Error {
  override name = "UnexpectedRow";
}

/**
 * A raw statement's rows, typed by the schema. With `checkRows` (tests, development), any difference throws
 * `UnexpectedRow`.
 */
export async function rowsOf<Row extends z.ZodType<object>>(
  db: ReadDb,
  row: Row,
  statement: SQL,
): Promise<z.output<Row>[]> {
  const { rows } = await db.execute(statement);
  return asStated(db, row, rows);
}

function asStated<Row extends z.ZodType<object>>(
  db: ReadDb,
  row: Row,
  rows: Record<string, unknown>[],
): z.output<Row>[] {
  if (areRowsChecked(db)) for (const one of rows) assertRow(row, one);
  return rows as unknown[] as z.output<Row>[];
}

/** A statement with placeholders, whose text is built once per database instead of per request. */
export function createPreparedRowsQuery<Row extends z.ZodType<object>>(
  row: Row,
  statement: SQL,
): (db: ReadDb, values: Record<string, unknown>) => Promise<z.output<Row>[]> {
  const prepare = memoize((db: ReadDb) =>
    db._.session.prepareQuery<{
      execute: { rows: Record<string, unknown>[] };
      all: unknown;
      values: unknown;
    }>(new PgDialect().sqlToQuery(statement), undefined, undefined, false),
  );
  return async (db, values) => {
    const { rows } = await prepare(db).execute(values);
    return asStated(db, row, rows);
  };
}

/**
 * A typed expression, checked like `rowsOf`: typedSql(z.int())`count(*)::int`. The driver maps no nulls, so
 * nullability is not checked.
 */
export const typedSql =
  <Value extends z.ZodType>(schema: Value) =>
  (text: TemplateStringsArray, ...parts: unknown[]): SQL<z.output<Value>> =>
    sql(text, ...parts).mapWith((value: unknown) => {
      if (isAnyRowCheckEnabled()) assertRow(z.object({ value: schema }), { value });
      return value as z.output<Value>;
    });

function assertRow(schema: z.ZodType<object>, row: Record<string, unknown>): void {
  const { error, data } = schema.safeParse(row);
  if (error) throw new UnexpectedRow(`A row does not match its schema: ${z.prettifyError(error)}`);
  // Finds unknown columns and values that the schema would change.
  const read: Record<string, unknown> = { ...data };
  const changed = Object.keys(row).filter((name) => !isDeepStrictEqual(read[name], row[name]));
  if (changed.length > 0) throw new UnexpectedRow(`A row does not match its schema: ${changed.join(", ")}`);
}

function isMoment(stored: string): boolean {
  try {
    return toInstant(stored) !== "";
  } catch {
    return false;
  }
}

type Columns = Record<string, PgColumn>;
type RowOf<C extends Columns> = { [Key in keyof C]: GetColumnData<C[Key]> };

/** Runs a statement with a value for each key, decoded as its column does. */
export async function rowsDecodedByColumns<C extends Columns>(
  db: ReadDb,
  columns: C,
  statement: SQL,
): Promise<RowOf<C>[]> {
  const { rows } = await db.execute(statement);
  const read = (row: Record<string, unknown>) =>
    Object.entries(columns).map(([key, column]) => {
      if (areRowsChecked(db)) assertColumn(key, column, row[key]);
      return [key, row[key] === null ? null : column.mapFromDriverValue(row[key])];
    });
  return rows.map((row) => Object.fromEntries(read(row)) as RowOf<C>);
}

function assertColumn(key: string, column: PgColumn, value: unknown): void {
  if (value === undefined) throw new UnexpectedRow(`A row has no column ${key}`);
  if (value === null && column.notNull) throw new UnexpectedRow(`A row has no value for ${key}`);
}
