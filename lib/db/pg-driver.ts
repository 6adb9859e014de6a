import { drizzle } from "drizzle-orm/node-postgres";
import pg from "pg";
import type { Db, DriverPool, PoolOptions } from "./client.ts";
import { pgFlight } from "./pg-flight.ts";
import { DatabaseBusy, translateDriverError } from "./unavailable.ts";
import { WebSocketStream } from "./websocket-stream.ts";

/** A pool of connections by TCP, or each through a WebSocket of its own at the address of a tunnel. */
export function openDriver(options: PoolOptions, tunnel?: string): DriverPool {
  const pool = new pg.Pool(tunnel ? { ...options, ...through(tunnel, options) } : options);
  keepRefused(pool);
  return {
    pool,
    database: () => drizzle(pool) as unknown as Db,
    takeOff: async () => pgFlight(await pool.connect()),
  };
}

/** A tunnel is encrypted or local, and what it ends at has no TLS of its own. */
function through(tunnel: string, { connectionString }: PoolOptions): pg.PoolConfig {
  const url = new URL(connectionString);
  for (const name of [...url.searchParams.keys()])
    if (/^(ssl|channel_binding)/.test(name)) url.searchParams.delete(name);
  return { connectionString: url.href, ssl: false, stream: () => new WebSocketStream(tunnel) };
}

/** One client, which is not connected yet. */
export const openClient = (options: pg.ClientConfig): pg.Client => new pg.Client(options);

/**
 * Has single statements that the server refused for now leave their connection as it is, in place. The pool's own `query`
 * gives it up after any error: each who waits in vain for a lock would then take a new one.
 */
function keepRefused(pool: pg.Pool): void {
  const connect = pool.connect.bind(pool);
  const query = (...args: [never]) =>
    new Promise((resolve, reject) => {
      connect((unconnected, client, release) => {
        if (!client) return reject(unconnected);
        let ended = false;
        const end = (error: Error | undefined, result?: unknown) => {
          if (ended) return;
          ended = true;
          client.removeListener("error", end);
          release(translateDriverError(error) instanceof DatabaseBusy ? undefined : error);
          if (error) reject(error);
          else resolve(result);
        };
        client.once("error", end);
        Reflect.apply(client.query, client, [...args, end]);
      });
    });
  pool.query = query as typeof pool.query;
}
