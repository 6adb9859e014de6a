/** When a statement is given up. */
export const QUERY_TIMEOUT_MS = 30_000;
export const CONNECT_TIMEOUT_MS = 10_000;
/** A connection that was idle for longer, awake or frozen, is not used again: the network may have forgotten it. */
const IDLE_TIMEOUT_MS = 10_000;

/** How pools are opened. */
export type PoolOptions = ReturnType<typeof poolOptions>;

export function poolOptions(
  url: string,
  {
    max = 2,
    clockOffset,
    idleTimeoutMs = IDLE_TIMEOUT_MS,
  }: { max?: number; clockOffset?: number | undefined; idleTimeoutMs?: number },
) {
  return {
    connectionString: url,
    // Only a moved clock is told at the start: poolers refuse it, and production has none.
    ...(clockOffset && { options: `-c service.clock_offset=${clockOffset}s` }),
    max,
    idleTimeoutMillis: idleTimeoutMs,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
    allowExitOnIdle: true,
  };
}
