import { neon, neonConfig, Pool } from "@neondatabase/serverless";
import { drizzle } from "drizzle-orm/neon-serverless";
import type { DatabaseOptions, Db, DriverPool, PoolOptions } from "./client.ts";
import { neonFlight } from "./neon-flight.ts";
import { observeQueries } from "./observe.ts";
import { translateErrors } from "./reconnect.ts";

/** A pool for Neon: single statements leave by HTTP, transactions by WebSocket. */
export function openDriver(
  url: string,
  options: PoolOptions,
  { neonProxy, onQuery }: DatabaseOptions,
): DriverPool {
  configure(neonProxy, options.query_timeout);
  const pool = new Pool(options);
  const http = neon(Object.assign(new URL(url), { search: "" }).href, { fullResults: true });
  return {
    pool,
    database: () => drizzle(pool) as unknown as Db,
    takeOff: async () => translateErrors(observeQueries(neonFlight(http), onQuery)),
  };
}

/** Neon's settings are the process's. */
function configure(neonProxy: string | undefined, timeoutMs: number): void {
  neonConfig.poolQueryViaFetch = true;
  // Each write would wait for a timer otherwise: measured at 1.5 ms instead of 0.2 for a query.
  neonConfig.coalesceWrites = false;
  // The pool's query_timeout does not reach statements sent by HTTP.
  neonConfig.fetchFunction = (address: string, init: RequestInit) =>
    fetch(address, { ...init, signal: AbortSignal.timeout(timeoutMs) });
  if (!neonProxy) return;
  neonConfig.useSecureWebSocket = false;
  neonConfig.wsProxy = () => `${neonProxy}/v2`;
  neonConfig.fetchEndpoint = () => `http://${neonProxy}/sql`;
}
