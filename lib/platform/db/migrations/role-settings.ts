import type pg from "pg";
import { QUERY_TIMEOUT_MS } from "../driver/pool-options.ts";

/** Lock timeout of requests. */
export const REQUEST_LOCK_TIMEOUT_MS = 2_000;

/** The client has given up by then. */
const timeout = `${QUERY_TIMEOUT_MS + 2_000}ms`;

/** Just-in-time compilation takes longer than our statements. */
const settingsOf = (lockTimeoutMs: number) => ({
  statement_timeout: timeout,
  idle_in_transaction_session_timeout: timeout,
  lock_timeout: `${lockTimeoutMs}ms`,
  jit: "off",
});

/**
 * For later connections of this account. Stored with the role: poolers reject settings at connection start,
 * and mix sessions that set them later.
 */
export async function storeRoleSettings(
  client: pg.Client,
  lockTimeoutMs = REQUEST_LOCK_TIMEOUT_MS,
): Promise<void> {
  const { rows } = await client.query<{ name: string }>("select quote_ident(current_database()) as name");
  for (const [setting, value] of Object.entries(settingsOf(lockTimeoutMs)))
    await client.query(`alter role current_user in database ${rows[0]?.name} set ${setting} = '${value}'`);
}
