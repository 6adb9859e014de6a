import { type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import * as z from "zod";
import { wireForm } from "../../schema/db/columns.ts";
import { JsonList } from "../json-list.ts";
import type { Db } from "./client.ts";
import { rowsOf } from "./rows.ts";

/** What a statement selects to answer these columns, and parts of SQL that are JSON already, under their keys. */
export const wireColumns = (columns: Record<string, PgColumn | SQL>): SQL =>
  sql.join(
    Object.entries(columns).map(([name, column]) => sql`${wireForm(column)} as ${sql.identifier(name)}`),
    sql`, `,
  );

const Row = z.object({ items: z.string().nullable() });

const itemsOf = (rows: SQL): SQL =>
  sql`select string_agg(row_to_json(item)::text, ',') as items from (${rows}) as item`;

const listOf = <Item>({ items }: z.output<typeof Row>): JsonList<Item> => new JsonList(items ? [items] : []);

/** The rows of a statement in their order, as a list that PostgreSQL writes; their columns are spelled as answered. */
export async function jsonListOf<Item>(db: Db, rows: SQL): Promise<JsonList<Item>> {
  const [row] = await rowsOf(db, Row, itemsOf(rows));
  return listOf(row ?? { items: null });
}

/** The same of something that has the list, one row of a part of `from`; undefined without it. */
export async function jsonListIn<Item>(db: Db, owner: SQL, rows: SQL): Promise<JsonList<Item> | undefined> {
  const [row] = await rowsOf(db, Row, sql`select (${itemsOf(rows)}) as items from ${owner}`);
  return row && listOf(row);
}
