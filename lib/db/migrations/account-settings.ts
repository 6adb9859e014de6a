import type pg from "pg";
import { QUERY_TIMEOUT_MS } from "../driver/pool-options.ts";

/** For how long a request waits for a lock, in milliseconds, where the operator says nothing else. */
export const LOCK_TIMEOUT_MS = 2_000;

/** A little after the client has given up: nobody waits for what is ended. */
const timeout = `${QUERY_TIMEOUT_MS + 2_000}ms`;

/** Just-in-time compilation takes longer than any statement of the service that would be compiled. */
const settingsOf = (lockTimeoutMs: number) => ({
  statement_timeout: timeout,
  idle_in_transaction_session_timeout: timeout,
  lock_timeout: `${lockTimeoutMs}ms`,
  jit: "off",
});

/**
 * Sets, for each later connection of this account to this database, after how long the server ends what was abandoned
 * or waits for a lock, and what it leaves out. It stands with the account: poolers refuse settings at the start of a connection, and mix
 * connections that set something later.
 */
export async function keepAccountSettings(client: pg.Client, lockTimeoutMs = LOCK_TIMEOUT_MS): Promise<void> {
  const { rows } = await client.query<{ name: string }>("select quote_ident(current_database()) as name");
  for (const [setting, value] of Object.entries(settingsOf(lockTimeoutMs)))
    await client.query(`alter role current_user in database ${rows[0]?.name} set ${setting} = '${value}'`);
}
