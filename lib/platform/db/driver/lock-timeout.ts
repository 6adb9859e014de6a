import { type Pool, type Send, toStatement } from "./layers.ts";

/**
 * Sends each statement in a transaction with this lock timeout. Background work waits longer than requests.
 */
export const sendWithLockTimeout =
  (connect: Pool["connect"], milliseconds: number): Send =>
  async (statement) => {
    const connection = await connect();
    try {
      await connection.send(toStatement(`begin; ${setLockTimeoutSql(milliseconds)}`));
      const result = await connection.send(statement);
      await connection.send(toStatement("commit"));
      return result;
    } catch (error) {
      await connection.send(toStatement("rollback")).catch(() => {});
      throw error;
    } finally {
      connection.release();
    }
  };

export const setLockTimeoutSql = (milliseconds: number): string => `set local lock_timeout = ${milliseconds}`;
