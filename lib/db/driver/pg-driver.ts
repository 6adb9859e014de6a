import pg from "pg";
import type { Db } from "../client.ts";
import { DatabaseBusy, translateDriverError } from "../unavailable.ts";
import { LayeredDatabase, type Traits } from "./database.ts";
import type { Connection, Pool, Statement } from "./layers.ts";
import type { PoolOptions } from "./pool-options.ts";
import { WebSocketStream } from "./websocket-stream.ts";
import { readWideIntegers } from "./wide-integers.ts";

/** A pool of the driver's connections: it sends one statement by whichever is free, or lends one. */
export type DriverPool = Pool & {
  /** Drizzle on it, through the layers that a pool was given. */
  database(pool: Pool, traits: Traits): Db;
  onIdleLost(listener: (error: Error) => void): void;
  end(): Promise<void>;
};

readWideIntegers(pg.types);

/** The driver's own, which its types leave out. */
type Wired = { connection: { stream: Connection["stream"] & object } };

/** A pool of connections by TCP, or each through a WebSocket of its own at the address of a tunnel. */
export function openDriver(options: PoolOptions, tunnel?: string): DriverPool {
  const pool = new pg.Pool(tunnel ? { ...options, ...through(tunnel, options) } : options);
  // A connection that is lent has no other listener, and an unheard "error" event ends the process.
  pool.on("connect", (client) => client.on("error", () => {}));
  return {
    onIdleLost: (listener) => void pool.on("error", listener),
    send: (statement) => sendAlone(pool, statement),
    database: (layered, traits) => new LayeredDatabase(layered, traits),
    connect: async () => connectionOf(await pool.connect()),
    end: () => pool.end(),
  };
}

const connectionOf = (client: pg.PoolClient): Connection => ({
  send: ({ query, values }) => Reflect.apply(client.query, client, [query, values]),
  release: (error) => client.release(error),
  stream: (client as unknown as Wired).connection.stream,
});

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
 * Sends one statement, by any connection, which what the server refused for now leaves as it is. The pool's own `query`
 * gives it up after any error: each who waits in vain for a lock would then take a new one.
 */
const sendAlone = (pool: pg.Pool, { query, values }: Statement): Promise<unknown> =>
  new Promise((resolve, reject) => {
    pool.connect((unconnected, client, release) => {
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
      Reflect.apply(client.query, client, [query, values, end]);
    });
  });
