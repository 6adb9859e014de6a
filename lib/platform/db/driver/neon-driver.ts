import { Pool, type PoolClient, types } from "@neondatabase/serverless";
import { NeonDatabase, NeonSession, NeonTransaction } from "drizzle-orm/neon-serverless";
import { createLayeredDatabaseFactory, type DrizzleDriverClasses } from "./database.ts";
import { type DriverPool, sendOn, sendOnFreeConnection } from "./driver-pool.ts";
import type { Connection } from "./layers.ts";
import { StatementBatch } from "./neon-batch.ts";
import { createTunnelClientClass } from "./neon-client.ts";
import type { PoolOptions } from "./pool-options.ts";
import { registerWideIntegerParsers } from "./wide-integers.ts";

registerWideIntegerParsers(types as unknown as Parameters<typeof registerWideIntegerParsers>[0]);

const database = createLayeredDatabaseFactory({
  Database: NeonDatabase,
  Session: NeonSession,
  Transaction: NeonTransaction,
} as unknown as DrizzleDriverClasses);

/** A pool for Neon's proxy, through WebSockets to `tunnel` (`wss://host/v2`). */
export function openNeonDriverPool(options: PoolOptions, tunnel: string): DriverPool {
  const pool = new Pool({ ...options, connectionString: withoutTls(options.connectionString) });
  pool.Client = createTunnelClientClass(tunnel);
  // A checked-out connection has no other listener. An unhandled event ends the process.
  pool.on("connect", (client: PoolClient) => client.on("error", () => {}));
  return {
    onIdleLost: (listener) => void pool.on("error", listener),
    send: (statement) => sendOnFreeConnection(pool, statement),
    database,
    connect: async () => connectionOf((await pool.connect()) as PoolClient),
    end: () => pool.end(),
  };
}

/** While corked, collects statements into one batch. */
function connectionOf(client: PoolClient): Connection {
  let batch: StatementBatch | undefined;
  return {
    send: (statement) => (batch ? batch.add(statement.query, statement.values) : sendOn(client, statement)),
    release: (error) => client.release(error),
    stream: {
      cork() {
        batch = new StatementBatch();
      },
      uncork() {
        const collected = batch;
        batch = undefined;
        if (collected && !collected.isEmpty) client.query(collected);
      },
    },
  };
}

/** The WebSocket is encrypted or local. */
function withoutTls(address: string): string {
  const url = new URL(address);
  for (const name of [...url.searchParams.keys()])
    if (/^(ssl|channel_binding)/.test(name)) url.searchParams.delete(name);
  return url.href;
}
