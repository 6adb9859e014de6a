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

/** The rows of a statement in their order, as a list that PostgreSQL writes; their columns are spelled as answered. */
export async function jsonListOf<Item>(db: Db, rows: SQL): Promise<JsonList<Item>> {
  const [row] = await rowsOf(
    db,
    Row,
    sql`select string_agg(row_to_json(item)::text, ',') as items from (${rows}) as item`,
  );
  return new JsonList(row?.items ? [row.items] : []);
}
