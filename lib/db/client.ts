import type { NodePgQueryResultHKT } from "drizzle-orm/node-postgres";
import type { PgDatabase } from "drizzle-orm/pg-core";
import type pg from "pg";
import type { Config } from "../config.ts";
import { shareConnections } from "./driver/connection-shares.ts";
import { type Connection, LayeredPool, type Send } from "./driver/layers.ts";
import { waitForLocks, waitForLocksWithin } from "./driver/lock-timeout.ts";
import { type OnQuery, observe } from "./driver/observe.ts";
import { pgBatch } from "./driver/pg-batch.ts";
import { pipelineChecks } from "./driver/pipelined-batch.ts";
import { nameStatements, prepare } from "./driver/prepared.ts";
import { reconnect } from "./driver/reconnect.ts";
import { checkRows } from "./query/rows.ts";
import { isUnavailable } from "./unavailable.ts";

export { isUnavailable };

/** A database or a transaction: verbs take either. */
export type Db = PgDatabase<NodePgQueryResultHKT, Record<string, never>>;

export type Database = {
  db: Db;
  /** A connection apart, for signs of life: they wait behind no request. */
  signsOfLife: Db;
  /** Another on a server, for whoever asks whether requests can be answered. */
  readiness: Db;
  /** For work of the schedule: it waits for locks as long as a statement may take, and in no request's way. */
  schedule: Db;
  /** How its connections are made: Neon's by WebSocket. */
  transport: "tcp" | "websocket";
  close(): Promise<void>;
};

export type DatabaseOptions = {
  /** `postgresql://…`; also `postgres://` and `postgresql+asyncpg://`. */
  url: string;
  /** Connections at most: 2 suit a Lambda container, which serves one request at a time. */
  max?: number;
  /** `host:port` of a stand-in for Neon's proxy. */
  neonProxy?: string;
  /** Whether a connection parses and plans each statement once; not where the pooler between cannot carry it. */
  preparedStatements?: boolean;
  /** By how many seconds the clock of the service is ahead of the database's. */
  clockOffset?: number;
  /** For how long each statement waits for locks, in milliseconds, where that is not as the account has it. */
  lockTimeoutMs?: number;
  /** Told of every round trip. */
  onQuery?: OnQuery;
  /** Holds the rows of raw statements against their schemas: for tests and development. */
  checkRows?: boolean;
  log?: { warn(fields: object, message: string): void };
};

/** When a statement is given up. */
export const QUERY_TIMEOUT_MS = 30_000;
/** For how long work that nobody waits for waits for a lock: what it then does has some seconds left. */
const PATIENT_LOCK_TIMEOUT_MS = QUERY_TIMEOUT_MS - 5_000;
const CONNECT_TIMEOUT_MS = 10_000;
/** A connection that was idle for longer, awake or frozen, is not used again: the network may have forgotten it. */
export const IDLE_TIMEOUT_MS = 10_000;

/** What the driver brings for a pool of its connections. */
export type DriverPool = {
  /** Sends one statement, by whichever connection is free. */
  send: Send;
  connect(): Promise<Connection>;
  /** Drizzle on such a pool. */
  database(pool: LayeredPool): Db;
  onIdleLost(listener: (error: Error) => void): void;
  end(): Promise<void>;
};

/**
 * Opens the database, `*.neon.tech` through a WebSocket. Nothing is sent before the first query.
 * Errors of the server keep their SQLSTATE in `error.cause.code`; `isUnavailable` knows those of the connection.
 */
export async function connectDatabase(options: DatabaseOptions): Promise<Database> {
  const url = postgresUrl(options.url);
  const tunnel = tunnelOf(url, options.neonProxy);
  const { openDriver } = await import("./driver/pg-driver.ts");
  const open = (own: DatabaseOptions) => openPool(openDriver(poolOptions(url, own), tunnel), own);
  const main = open(options);
  const apart = open({ ...options, max: 1 });
  const readiness = isServer(options) ? open({ ...options, max: 1 }) : undefined;
  const schedule = open({ ...options, max: 2, lockTimeoutMs: PATIENT_LOCK_TIMEOUT_MS });
  let closed: Promise<unknown> | undefined;
  return {
    db: main.db,
    signsOfLife: apart.db,
    readiness: (readiness ?? main).db,
    schedule: schedule.db,
    transport: tunnel ? "websocket" : "tcp",
    async close() {
      closed ??= Promise.all([main, apart, readiness, schedule].map((one) => one?.end()));
      await closed;
    },
  };
}

/** A function serves one request at a time: a further connection would only cost the database. */
const isServer = ({ max = 2 }: DatabaseOptions): boolean => max >= 4;

/** A pool of connections, none of which is opened before its first query. */
function openPool(driver: DriverPool, options: DatabaseOptions) {
  driver.onIdleLost((error) => options.log?.warn({ reason: error.message }, "idle connection lost"));
  const { lockTimeoutMs } = options;
  const connect = () => pool.connect();
  const pool: LayeredPool = new LayeredPool(
    lockTimeoutMs ? waitForLocks(connect, lockTimeoutMs) : driver.send,
    driver.connect,
    [
      pipelineChecks(async () => pgBatch(await connect())),
      shareConnections(options.max ?? 2, CONNECT_TIMEOUT_MS),
      reconnect(),
      ...(options.preparedStatements === false ? [] : [prepare(nameStatements(options.log))]),
      observe(options.onQuery),
    ],
  );
  const db = driver.database(pool);
  if (lockTimeoutMs) waitForLocksWithin(db, lockTimeoutMs);
  if (options.checkRows) checkRows(db);
  return { db: repeatBegin(db), end: () => driver.end() };
}

/** One open connection of its own, past Neon's pooler. */
export async function openConnection(url: string): Promise<pg.Client> {
  const { openClient } = await import("./driver/pg-driver.ts");
  const client = openClient({
    connectionString: directUrl(url),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  await client.connect();
  return client;
}

/** The same, whose statements may take as long as they need, for a large load: not through another pooler. */
export async function openSession(url: string): Promise<pg.Client> {
  const client = await openConnection(url);
  await client.query(
    "set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set lock_timeout = 0",
  );
  return client;
}

/** Where what takes a connection of its own finds the database. */
export const addressForSessions = (config: Pick<Config, "DATABASE_URL" | "DIRECT_DATABASE_URL">): string =>
  config.DIRECT_DATABASE_URL ?? config.DATABASE_URL;

/** The same database past Neon's pooler. */
export function directUrl(url: string): string {
  const direct = new URL(postgresUrl(url));
  if (direct.hostname.endsWith(".neon.tech")) direct.hostname = direct.hostname.replace("-pooler.", ".");
  return direct.href;
}

/**
 * The address as the drivers read it: scheme `postgresql`, asyncpg's `ssl=` as `sslmode=`. `require` checks the
 * certificate too, as `pg` does today: spelled out, it keeps that meaning. `no-verify` is for a self-signed one.
 */
export function postgresUrl(text: string): string {
  const url = new URL(text.replace(/^(postgresql\+asyncpg|postgres):/, "postgresql:"));
  const mode = url.searchParams.get("sslmode") ?? url.searchParams.get("ssl");
  if (mode === null || url.searchParams.has("uselibpqcompat")) return url.href;
  url.searchParams.delete("ssl");
  url.searchParams.set("sslmode", ["require", "verify-ca", "true"].includes(mode) ? "verify-full" : mode);
  return url.href;
}

/** The WebSocket that leads to a database of Neon, or to what stands in for its proxy. */
function tunnelOf(url: string, neonProxy: string | undefined): string | undefined {
  const { hostname } = new URL(url);
  if (neonProxy) return `ws://${neonProxy}/v2`;
  return hostname.endsWith(".neon.tech") ? `wss://${hostname}/v2` : undefined;
}

/** How pools are opened. */
export type PoolOptions = ReturnType<typeof poolOptions>;

function poolOptions(url: string, { max = 2, clockOffset }: DatabaseOptions) {
  return {
    connectionString: url,
    // Only a moved clock is told at the start: poolers refuse it, and production has none.
    ...(clockOffset && { options: `-c service.clock_offset=${clockOffset}s` }),
    max,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
    allowExitOnIdle: true,
    // What is handed to one client is sent at once: statements that wait for each other still do.
    pipeline: true,
  };
}

/** A transaction whose BEGIN met a dead connection starts once more: its work has not begun. */
function repeatBegin(db: Db): Db {
  const transaction: Db["transaction"] = db.transaction.bind(db);
  db.transaction = async (work, config) => {
    let begun = false;
    const run = () =>
      transaction((tx) => {
        begun = true;
        return work(tx);
      }, config);
    return run().catch((error) => (begun || !isUnavailable(error) ? Promise.reject(error) : run()));
  };
  return db;
}
