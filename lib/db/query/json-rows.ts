import { type SQL, sql } from "drizzle-orm";
import { type PgColumn, PgDialect } from "drizzle-orm/pg-core";
import * as z from "zod";
import { wireForm } from "../../../schema/db/columns.ts";
import { JsonListPage } from "../../results/json-list-page.ts";
import type { ReadDb } from "../client.ts";
import { rowsOf } from "./rows.ts";

/**
 * Rows for an answer, each with its `page_key` beside what is answered of it, and one more than are asked for. `seal` has the key
 * in its place that is told.
 */
export type PagedRows = {
  rows: SQL;
  names: readonly string[];
  limit: number;
  seal?: (key: string) => string;
};

type Columns = Record<string, PgColumn | SQL>;

/** Lists of columns that came before; as text, where no value of a request is in them. */
const known = new WeakMap<Columns, SQL | undefined>();

const dialect = new PgDialect();

/**
 * What a statement selects to answer these columns, and parts of SQL that are JSON already, under their keys. The same
 * list of columns is written once: that takes longer than most of what a list's request does besides.
 */
export function wireColumns(columns: Columns): SQL {
  const text = known.get(columns);
  if (text) return text;
  const selection = sql.join(
    Object.entries(columns).map(([name, column]) => sql`${wireForm(column)} as ${sql.identifier(name)}`),
    sql`, `,
  );
  known.set(columns, known.has(columns) ? asText(selection) : undefined);
  return selection;
}

function asText(selection: SQL): SQL | undefined {
  const { sql: text, params } = dialect.sqlToQuery(selection);
  return params.length === 0 ? sql.raw(text) : undefined;
}

const Row = z.object({ written: z.string() });

/**
 * The rows as one text, since a part of a statement answers no more: on its first line the key of the last row, where
 * others follow it, and then the rows as JSON.
 */
function written({ rows, names, limit }: PagedRows): SQL {
  const item = sql.join(
    names.map((name) => sql`line.${sql.identifier(name)}`),
    sql`, `,
  );
  return sql`
    select concat(
      case when count(*) > ${limit}::int then max(line.page_key) filter (where line.page_row = ${limit}::int) end, e'\\n',
      string_agg(row_to_json(item)::text, ',') filter (where line.page_row <= ${limit}::int)) as written
    from (select listed.*, row_number() over () as page_row from (${rows}) as listed) as line
    cross join lateral (select ${item}) as item`;
}

function listOf<Item>(text: string, { seal = (key) => key }: PagedRows): JsonListPage<Item> {
  const end = text.indexOf("\n");
  const items = text.slice(end + 1);
  const key = text.slice(0, end);
  return new JsonListPage(items ? [items] : [], key ? seal(key) : undefined);
}

/** The rows of a page in their order, as a list that PostgreSQL writes; their columns are spelled as answered. */
export async function jsonListOf<Item>(db: ReadDb, rows: PagedRows): Promise<JsonListPage<Item>> {
  const [row] = await rowsOf(db, Row, written(rows));
  return listOf(row?.written ?? "\n", rows);
}

/** The same of something that has the list, one row of a part of `from`; undefined without it. */
export async function jsonListIn<Item>(
  db: ReadDb,
  owner: SQL,
  rows: PagedRows,
): Promise<JsonListPage<Item> | undefined> {
  const [row] = await rowsOf(db, Row, sql`select (${written(rows)}) as written from ${owner}`);
  return row && listOf(row.written, rows);
}

const Whole = z.object({ items: z.string().nullable() });

/** All rows of a statement in their order, as such a list, of something that has it; undefined without it. */
export async function wholeJsonListIn<Item>(
  db: ReadDb,
  owner: SQL,
  rows: SQL,
): Promise<JsonListPage<Item> | undefined> {
  const items = sql`select string_agg(row_to_json(item)::text, ',') from (${rows}) as item`;
  const [row] = await rowsOf(db, Whole, sql`select (${items}) as items from ${owner}`);
  return row && new JsonListPage(row.items ? [row.items] : []);
}
