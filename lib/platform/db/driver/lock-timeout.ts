import { type Pool, type Send, statementOf } from "./layers.ts";

/**
 * Sends each statement in a transaction with this lock timeout. Background work waits longer than requests.
 */
export const sendWithLockTimeout =
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

export const lockTimeout = (milliseconds: number): string => `set local lock_timeout = ${milliseconds}`;
