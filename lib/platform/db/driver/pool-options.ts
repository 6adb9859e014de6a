export const QUERY_TIMEOUT_MS = 30_000;
export const CONNECT_TIMEOUT_MS = 10_000;
/** A connection idle for longer, awake or frozen, is not reused: NAT may have dropped it. */
const IDLE_TIMEOUT_MS = 10_000;

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
    // Poolers refuse options. Production moves no clock and sends none.
    ...(clockOffset && { options: `-c service.clock_offset=${clockOffset}s` }),
    max,
    idleTimeoutMillis: idleTimeoutMs,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    allowExitOnIdle: true,
  };
}
