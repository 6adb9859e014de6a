import { NodePgDatabase, NodePgSession, NodePgTransaction } from "drizzle-orm/node-postgres";
import pg from "pg";
import { createLayeredDatabaseFactory } from "./database.ts";
import { type DriverPool, sendOn, sendOnFreeConnection, socketOf } from "./driver-pool.ts";
import type { Connection } from "./layers.ts";
import type { PoolOptions } from "./pool-options.ts";
import { registerWideIntegerParsers } from "./wide-integers.ts";

registerWideIntegerParsers(pg.types);

export const createPgDatabase = createLayeredDatabaseFactory({
  Database: NodePgDatabase,
  Session: NodePgSession,
  Transaction: NodePgTransaction,
});

export function openPgDriverPool(options: PoolOptions): DriverPool {
  // Pipelines statements without an await between them.
  const pool = new pg.Pool({ ...options, pipeline: true });
  // A checked-out connection has no other listener. An unhandled event ends the process.
  pool.on("connect", (client) => client.on("error", () => {}));
  return {
    onIdleLost: (listener) => void pool.on("error", listener),
    send: (statement) => sendOnFreeConnection(pool, statement),
    database: createPgDatabase,
    connect: async () => connectionOf(await pool.connect()),
    end: () => pool.end(),
  };
}

const connectionOf = (client: pg.PoolClient): Connection => ({
  send: (statement) => sendOn(client, statement),
  release: (error) => client.release(error),
  stream: socketOf(client),
});

export const createPgClient = (options: pg.ClientConfig): pg.Client => new pg.Client(options);
