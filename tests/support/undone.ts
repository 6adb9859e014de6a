import { drizzle } from "drizzle-orm/node-postgres";
import pg from "pg";
import type { Db } from "../../lib/db/client.ts";
import type { QueryPool } from "../../lib/db/observe.ts";
import { nameStatements, prepareStatements } from "../../lib/db/prepared.ts";

export type UndoneDatabase = {
  db: Db;
  /** Whether anything that is stored differs from what `undo` goes back to. */
  isChanged(): Promise<boolean>;
  /** Goes back to what was there when this database was opened. */
  undo(): Promise<void>;
  close(): Promise<void>;
};

/**
 * A database whose changes nobody else sees and which can be undone, so that many requests find the same rows.
 * As outside of a transaction, each statement stands for itself: one that fails undoes itself and no other.
 */
export async function openUndone(url: string): Promise<UndoneDatabase> {
  const client = new pg.Client(url);
  await client.connect();
  const send = client.query.bind(client) as (...args: unknown[]) => Promise<pg.QueryResult>;

  let last: Promise<unknown> = Promise.resolve();
  const inItsTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
  // Each round trip counts in tests of thousands of requests: beginning anew also sets the first statement's savepoint.
  const begin = "begin; savepoint statement";
  let isSaved = true;
  let touched: boolean | undefined;
  const alone = async (...args: unknown[]) => {
    if (!isSaved) await send("savepoint statement");
    isSaved = false;
    touched = undefined;
    try {
      return await send(...args);
    } catch (error) {
      await send("rollback to savepoint statement");
      throw error;
    }
  };
  const isTouched = async () => {
    touched ??= await hasTransactionId(send);
    return touched;
  };
  const undo = async () => {
    if (!(await isTouched())) return;
    isSaved = true;
    touched = false;
    await send(`rollback; ${begin}`);
  };
  client.query = ((...args: unknown[]) => inItsTurn(() => alone(...args))) as typeof client.query;
  prepareStatements(client as unknown as QueryPool, nameStatements(), { byPool: true });

  await send(begin);
  const untouched = await contentsOf(send);
  return {
    db: drizzle(client) as unknown as Db,
    isChanged: () => inItsTurn(async () => (await isTouched()) && (await contentsOf(send)) !== untouched),
    undo: () => inItsTurn(undo),
    close: () => client.end(),
  };
}

type Send = (text: string, values?: unknown[]) => Promise<pg.QueryResult>;

/** Whether a row was written or locked at all, which is seldom: only then are all rows hashed. */
async function hasTransactionId(send: Send): Promise<boolean> {
  const { rows } = await send("select pg_current_xact_id_if_assigned() is not null as touched");
  return rows[0].touched;
}

/** A hash of all rows of each table, but for the audit log, where also what was refused is noted. */
async function contentsOf(send: Send): Promise<string> {
  const tables = await send(
    "select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'audit_events' order by 1",
  );
  const hashes = tables.rows.map(
    ({ name }) =>
      `select '${name}', md5(coalesce(string_agg(one::text, '' order by one::text), '')) from ${name} as one`,
  );
  const { rows } = await send(`${hashes.join(" union all ")} order by 1`);
  return JSON.stringify(rows);
}
