import { drizzle } from "drizzle-orm/node-postgres";
import pg from "pg";
import type { Db, DriverPool, PoolOptions } from "./client.ts";
import { pgFlight } from "./pg-flight.ts";

/** A pool for every PostgreSQL that speaks its own protocol. */
export function openDriver(_url: string, options: PoolOptions): DriverPool {
  const pool = new pg.Pool(options);
  return {
    pool,
    database: () => drizzle(pool) as unknown as Db,
    takeOff: async () => pgFlight(await pool.connect()),
  };
}

/** One client, which is not connected yet. */
export const openClient = (options: pg.ClientConfig): pg.Client => new pg.Client(options);
