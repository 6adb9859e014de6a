import { type SQL, sql } from "drizzle-orm";
import { type PgColumn, PgDialect } from "drizzle-orm/pg-core";
import * as z from "zod";
import { wireForm } from "../../../../schema/db/platform/columns.ts";
import { JsonListPage } from "../../results/json-list-page.ts";
import type { ReadDb } from "../client.ts";
import { builtOnce } from "./built-once.ts";
import { rowsOf } from "./rows.ts";

/** A page's rows, each with `page_key`, and one extra row. `seal` encrypts the key for the client. */
export type PagedRowsQuery = {
  rows: SQL;
  names: readonly string[];
  limit: number;
  seal?: (key: string) => string;
};

type Columns = Record<string, PgColumn | SQL>;

const dialect = new PgDialect();

/** Columns in wire form. */
export const wireColumnsSql = builtOnce((columns: Columns) =>
  sql.join(
    Object.entries(columns).map(([name, column]) => sql`${wireForm(column)} as ${sql.identifier(name)}`),
    sql`, `,
  ),
);

const Row = z.object({ written: z.string() });

/** One text: the first line is the last row's key if more follow, the rest is the list as JSON. */
function written({ rows, names, limit }: PagedRowsQuery): SQL {
  const item = sql.raw(names.map((name) => `line.${dialect.escapeName(name)}`).join(", "));
  return sql`
    select concat(
      case when count(*) > ${limit}::int then max(line.page_key) filter (where line.page_row = ${limit}::int) end, e'\\n[',
      string_agg(row_to_json(item)::text, ',') filter (where line.page_row <= ${limit}::int), ']') as written
    from (select listed.*, row_number() over () as page_row from (${rows}) as listed) as line
    cross join lateral (select ${item}) as item`;
}

function listOf<Item>(text: string, { seal = (key) => key }: PagedRowsQuery): JsonListPage<Item> {
  const end = text.indexOf("\n");
  const key = text.slice(0, end);
  return new JsonListPage(text.slice(end + 1), key ? seal(key) : undefined);
}

/** A page's rows, as JSON built by PostgreSQL. */
export async function queryJsonPage<Item>(db: ReadDb, rows: PagedRowsQuery): Promise<JsonListPage<Item>> {
  const [row] = await rowsOf(db, Row, written(rows));
  return listOf(row?.written ?? "\n[]", rows);
}

/** Like `queryJsonPage`; undefined if `from` selects no owner row. */
export async function queryJsonPageOfOwner<Item>(
  db: ReadDb,
  owner: SQL,
  rows: PagedRowsQuery,
): Promise<JsonListPage<Item> | undefined> {
  const [row] = await rowsOf(db, Row, sql`select (${written(rows)}) as written from ${owner}`);
  return row && listOf(row.written, rows);
}

const Whole = z.object({ items: z.string() });

/** All rows as a JSON list of an owner; undefined if the owner does not exist. */
export async function queryWholeJsonListOfOwner<Item>(
  db: ReadDb,
  owner: SQL,
  rows: SQL,
): Promise<JsonListPage<Item> | undefined> {
  const items = sql`select concat('[', string_agg(row_to_json(item)::text, ','), ']') from (${rows}) as item`;
  const [row] = await rowsOf(db, Whole, sql`select (${items}) as items from ${owner}`);
  return row && new JsonListPage(row.items);
}
