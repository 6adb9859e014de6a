import { type Pool, type Send, statementOf } from "./layers.ts";

/**
 * A way for statements that wait for locks for so long, each in a transaction of its own: whoever asks for a page is told
 * soon that it takes too long, work that nobody waits for goes on.
 */
export const waitForLocks =
  (connect: Pool["connect"], milliseconds: number): Send =>
  async (statement) => {
    const connection = await connect();
    try {
      await connection.send(statementOf(`begin; ${lockTimeout(milliseconds)}`));
      const result = await connection.send(statement);
      await connection.send(statementOf("commit"));
      return result;
    } catch (error) {
      await connection.send(statementOf("rollback")).catch(() => {});
      throw error;
    } finally {
      connection.release();
    }
  };

/** The same for a transaction that has begun. */
export const lockTimeout = (milliseconds: number): string => `set local lock_timeout = ${milliseconds}`;
