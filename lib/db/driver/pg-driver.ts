import { NodePgDatabase, NodePgSession, NodePgTransaction } from "drizzle-orm/node-postgres";
import pg from "pg";
import { layeredDatabase } from "./database.ts";
import { type DriverPool, sendAlone } from "./driver-pool.ts";
import type { Connection } from "./layers.ts";
import type { PoolOptions } from "./pool-options.ts";
import { readWideIntegers } from "./wide-integers.ts";

readWideIntegers(pg.types);

/** The driver's own, which its types leave out. */
type Wired = { connection: { stream: Connection["stream"] & object } };

/** Drizzle on a layered pool of this driver. */
export const pgDatabase = layeredDatabase({
  Database: NodePgDatabase,
  Session: NodePgSession,
  Transaction: NodePgTransaction,
});

/** A pool of connections by TCP. */
export function openDriver(options: PoolOptions): DriverPool {
  // What is handed to one client is sent immediately: statements that wait for each other still do.
  const pool = new pg.Pool({ ...options, pipeline: true });
  // A connection that is lent has no other listener, and an unheard "error" event ends the process.
  pool.on("connect", (client) => client.on("error", () => {}));
  return {
    onIdleLost: (listener) => void pool.on("error", listener),
    send: (statement) => sendAlone(pool, statement),
    database: pgDatabase,
    connect: async () => connectionOf(await pool.connect()),
    end: () => pool.end(),
  };
}

const connectionOf = (client: pg.PoolClient): Connection => ({
  send: ({ query, values }) => Reflect.apply(client.query, client, [query, values]),
  release: (error) => client.release(error),
  stream: (client as unknown as Wired).connection.stream,
});

/** One client, which is not connected yet. */
export const openClient = (options: pg.ClientConfig): pg.Client => new pg.Client(options);
