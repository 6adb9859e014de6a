import { readFile } from "node:fs/promises";
import type { SQL } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { cloneDatabase, type Row, type TestDatabase } from "../../support/database.ts";

export type Session = {
  /** The rows of a statement. */
  rows(statement: string | SQL): Promise<Row[]>;
  /** The first column of each row. */
  column(statement: string | SQL): Promise<unknown[]>;
  /** The first column of the first row. */
  value(statement: string | SQL): Promise<unknown>;
  /** How many rows of a table this transaction has read so far. */
  rowsReadOf(table: string): Promise<number>;
  /** The constraint that a refused statement names, with the detail that explains it. */
  refusal(statement: string): Promise<{ constraint: string | undefined; detail: string | undefined }>;
  /** Adds a second university. Returns its id. */
  addUniversity(): Promise<number>;
  /** The sums of a view or table of `measure` and `amount`: `{ drops: 2 }`. */
  sumsOf(table: string): Promise<Record<string, number>>;
};

/** A connection to a database with a small university in it (university.sql); each test is rolled back. */
export function openSession(): Session {
  let database: TestDatabase;
  let client: pg.Client;

  beforeAll(async () => {
    database = await cloneDatabase();
    await database.run(await readFile(new URL("university.sql", import.meta.url), "utf8"));
    // All events of these tests are older, as if they were inserted late.
    await database.run("update scheduled_tasks set begun_at = '2026-01-01Z' where name = 'count'");
    client = new pg.Client(database.url);
    await client.connect();
    await client.query("set time zone 'UTC'");
  });
  beforeEach(() => client.query("begin"));
  afterEach(() => client.query("rollback"));
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  const rows = async (statement: string | SQL): Promise<Row[]> => {
    const { sql: text, params } =
      typeof statement === "string" ? { sql: statement, params: [] } : new PgDialect().sqlToQuery(statement);
    // Several statements in one text go without parameters.
    const { rows: found }: pg.QueryResult<Row> = await (params.length > 0
      ? client.query(text, params)
      : client.query(text));
    return found;
  };
  const column = async (statement: string | SQL) =>
    (await rows(statement)).map((row) => Object.values(row)[0]);
  const sumsOf = async (table: string) =>
    Object.fromEntries(
      (
        await rows(
          `select measure, sum(amount)::float8 as amount from ${table} group by 1 having sum(amount) <> 0`,
        )
      ).map(({ measure, amount }) => [String(measure), Number(amount)]),
    );

  const value = async (statement: string | SQL) => (await column(statement))[0];

  return {
    rows,
    column,
    value,
    addUniversity: async () =>
      Number(
        await value(
          "insert into universities (name, short_code, country_id) select 'Other', 'OT', min(id) from countries returning id",
        ),
      ),
    rowsReadOf: async (table) =>
      Number(
        await value(
          `select seq_tup_read + idx_tup_fetch from pg_stat_xact_user_tables where relname = '${table}'`,
        ),
      ),
    refusal: async (statement) => {
      await client.query("savepoint before_refusal");
      const refused = await client.query(statement).then(
        () => undefined,
        (error: pg.DatabaseError) => error,
      );
      await client.query("rollback to savepoint before_refusal");
      return { constraint: refused?.constraint, detail: refused?.detail };
    },
    sumsOf,
  };
}
