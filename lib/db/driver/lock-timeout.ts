import { sql } from "drizzle-orm";
import type { Db } from "../client.ts";
import type { LentClient, Send } from "./layers.ts";

/**
 * A way for statements that wait for locks for so long, each in a transaction of its own: whoever asks for a page is told
 * soon that it takes too long, work that nobody waits for goes on.
 */
export const waitForLocks =
  (connect: () => Promise<LentClient>, milliseconds: number): Send =>
  async (statement) => {
    const client = await connect();
    try {
      await client.query(`begin; ${setting(milliseconds)}`);
      const result = await client.query(...statement);
      await client.query("commit");
      return result;
    } catch (error) {
      await client.query("rollback").catch(() => {});
      throw error;
    } finally {
      client.release();
    }
  };

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
