import { sql } from "drizzle-orm";
import type { Db } from "./client.ts";
import type { Queryable, QueryPool } from "./observe.ts";

type Client = Queryable & { release(): void };

/**
 * Has what is sent to a pool wait for locks for so long, in place, each statement in a transaction of its own: whoever
 * asks for a page has no such patience, work that nobody waits for has.
 */
export function waitForLocks(pool: QueryPool, milliseconds: number): void {
  pool.query = async (...args: unknown[]) => {
    const client: Client = await Reflect.apply(pool.connect, pool, []);
    const send = (...given: unknown[]): Promise<unknown> => Reflect.apply(client.query, client, given);
    try {
      await send(`begin; ${setting(milliseconds)}`);
      const result = await send(...args);
      await send("commit");
      return result;
    } catch (error) {
      await send("rollback").catch(() => {});
      throw error;
    } finally {
      client.release();
    }
  };
}

/** The same for the transactions of a database, in place. */
export function waitForLocksWithin(db: Db, milliseconds: number): void {
  const transaction: Db["transaction"] = db.transaction.bind(db);
  db.transaction = (work, config) =>
    transaction(async (tx) => {
      await tx.execute(sql.raw(setting(milliseconds)));
      return work(tx);
    }, config);
}

const setting = (milliseconds: number): string => `set local lock_timeout = ${milliseconds}`;
