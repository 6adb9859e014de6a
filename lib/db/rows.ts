import type { GetColumnData, SQL } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { Db } from "./client.ts";

type Columns = Record<string, PgColumn>;
type RowOf<C extends Columns> = { [Key in keyof C]: GetColumnData<C[Key]> };

/** Runs a statement whose rows have a value under each of these keys, and reads each as its column is read. */
export async function rowsOf<C extends Columns>(db: Db, columns: C, statement: SQL): Promise<RowOf<C>[]> {
  const { rows } = await db.execute<Record<string, unknown>>(statement);
  const read = (row: Record<string, unknown>) =>
    Object.entries(columns).map(([key, column]) => [
      key,
      row[key] === null ? null : column.mapFromDriverValue(row[key]),
    ]);
  return rows.map((row) => Object.fromEntries(read(row)) as RowOf<C>);
}
