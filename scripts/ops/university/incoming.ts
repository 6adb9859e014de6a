import type pg from "pg";
import type { Range } from "./ids.ts";

/*
 * An import's state, in a separate schema of the target database: its progress per batch, for resuming.
 * Dropped at the end.
 */

const schema = "incoming_university";

export async function exportUnderWay(client: pg.Client): Promise<string | undefined> {
  const there = await client.query("select from pg_tables where schemaname = $1 and tablename = 'export'", [
    schema,
  ]);
  if (!there.rowCount) return undefined;
  const { rows } = await client.query<{ id: string }>(`select id from ${schema}.export`);
  return rows[0]?.id;
}

export async function openIncoming(client: pg.Client, exportId: string): Promise<void> {
  await client.query(tables);
  await client.query(`insert into ${schema}.export (id) values ($1)`, [exportId]);
}

const tables = `
  create schema ${schema};
  create table ${schema}.export (id uuid primary key);
  create table ${schema}.ranges (name text primary key, least bigint, greatest bigint, shift bigint);
  create table ${schema}.single (name text, there bigint, here bigint, primary key (name, there));
  create table ${schema}.later (name text, id bigint, "column" text, value bigint);
  create table ${schema}.done (name text primary key, rows bigint);`;

export const closeIncoming = (client: pg.Client): Promise<unknown> =>
  client.query(`drop schema if exists ${schema} cascade`);

export async function rowsDone(client: pg.Client, name: string): Promise<number> {
  const { rows } = await client.query<{ rows: number }>(
    `select rows::float8 as rows from ${schema}.done where name = $1`,
    [name],
  );
  return rows[0]?.rows ?? 0;
}

/** Call inside a batch's transaction. */
export const noteDone = (client: pg.Client, name: string, rows: number): Promise<unknown> =>
  client.query(
    `insert into ${schema}.done (name, rows) values ($1, $2)
     on conflict (name) do update set rows = done.rows + excluded.rows`,
    [name, rows],
  );

export async function readSingle(client: pg.Client): Promise<Map<string, Map<number, number>>> {
  const { rows } = await client.query<{ name: string; there: number; here: number }>(
    `select name, there::float8 as there, here::float8 as here from ${schema}.single`,
  );
  const byTable = Map.groupBy(rows, ({ name }) => name);
  return new Map(
    [...byTable].map(([name, pairs]) => [name, new Map(pairs.map(({ there, here }) => [there, here]))]),
  );
}

/** Maps an exported row to an existing one. */
export const noteSingle = (client: pg.Client, name: string, there: number, here: number): Promise<unknown> =>
  client.query(
    `insert into ${schema}.single values ($1, $2, $3) on conflict (name, there) do update set here = excluded.here`,
    [name, there, here],
  );

/**
 * Reserves a range of ids for a table's rows once, under a lock. Rejects if the column's type is too small.
 */
export async function rangeFor(
  client: pg.Client,
  table: string,
  { least, greatest }: { least: number; greatest: number },
): Promise<Range> {
  const known = await client.query<Range>(
    `select least::float8 as least, greatest::float8 as greatest, shift::float8 as offset
     from ${schema}.ranges where name = $1`,
    [table],
  );
  if (known.rows[0]) return known.rows[0];
  await client.query("begin; set local lock_timeout = '25s'");
  try {
    // Inserts lock the table before they draw an id.
    await client.query(`lock table ${table} in share row exclusive mode`);
    const { rows } = await client.query<{ offset: number; past: number }>(
      `select shift::float8 as offset,
         setval(pg_get_serial_sequence($1, 'id'), greatest(last, ${greatest} + shift))::float8 as past
       from (select last, last + 1 - ${least} as shift from (
         select nextval(pg_get_serial_sequence($1, 'id')) as last) as drawn) as counted`,
      [table],
    );
    const offset = rows[0]?.offset ?? 0;
    await client.query(`insert into ${schema}.ranges values ($1, $2, $3, $4)`, [
      table,
      least,
      greatest,
      offset,
    ]);
    await client.query("commit");
    return { least, greatest, offset };
  } catch (error) {
    await client.query("rollback");
    throw error;
  }
}

/** References to rows that are imported later. */
export type Later = { name: string; id: number; column: string; value: number };

export const noteLater = (client: pg.Client, later: readonly Later[]): Promise<unknown> =>
  client.query(
    `insert into ${schema}.later
     select name, id, "column", value from json_to_recordset($1) as one (name text, id bigint, "column" text, value bigint)`,
    [JSON.stringify(later)],
  );

/** Columns with deferred references. */
export async function laterOf(client: pg.Client): Promise<{ name: string; column: string }[]> {
  const { rows } = await client.query<{ name: string; column: string }>(
    `select distinct name, "column" from ${schema}.later order by name`,
  );
  return rows;
}

const laterAtOnce = 1000;

/** Sets one batch of a column's deferred references, inside a transaction; returns whether more are left. */
export async function setLater(client: pg.Client, name: string, column: string): Promise<boolean> {
  const { rowCount } = await client.query(
    `with taken as (
       delete from ${schema}.later where ctid = any (array(
         select ctid from ${schema}.later where name = $1 and "column" = $2 limit ${laterAtOnce})) returning id, value)
     update ${name} as one set ${column} = taken.value from taken where one.id = taken.id`,
    [name, column],
  );
  return (rowCount ?? 0) > 0;
}
