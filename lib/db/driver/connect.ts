import type pg from "pg";
import { checkRows } from "../checked.ts";
import type { Db, ReadDb } from "../client.ts";
import { directUrl, postgresUrl, tunnelOf } from "./address.ts";
import { shareConnections } from "./connection-shares.ts";
import type { DriverPool } from "./driver-pool.ts";
import { layered } from "./layers.ts";
import { waitForLocks } from "./lock-timeout.ts";
import { type OnQuery, observe } from "./observe.ts";
import { pgBatch } from "./pg-batch.ts";
import { pipelineChecks } from "./pipelined-batch.ts";
import { CONNECT_TIMEOUT_MS, type PoolOptions, poolOptions, QUERY_TIMEOUT_MS } from "./pool-options.ts";
import { nameStatements, prepare } from "./prepared.ts";
import { reconnect } from "./reconnect.ts";

export type Database = {
  db: Db;
  /** The same connections, for what only reads. */
  reads: ReadDb;
  /** A connection apart, for signs of life: they wait behind no request. */
  signsOfLife: Db;
  /** Another on a server, for whoever asks whether requests can be answered. */
  readiness: ReadDb;
  /** For work of the schedule: it waits for locks as long as a statement may take, and in no request's way. */
  schedule: Db;
  /** A replica that reports are read from, where there is one: it is behind by some time. */
  reports: ReadDb | undefined;
  /** How its connections are made: Neon's by WebSocket. */
  transport: "tcp" | "websocket";
  close(): Promise<void>;
};

export type DatabaseOptions = {
  /** `postgresql://…`; also `postgres://` and `postgresql+asyncpg://`. */
  url: string;
  /** The same of a replica, for reports. */
  reportUrl?: string | undefined;
  /** Connections at most: 2 suit a Lambda container, which serves one request at a time. */
  max?: number;
  /** `host:port` of a stand-in for Neon's proxy. */
  neonProxy?: string;
  /** Whether a connection parses and plans each statement once; not where the pooler between cannot carry it. */
  preparedStatements?: boolean;
  /** By how many seconds the clock of the service is ahead of the database's. */
  clockOffset?: number;
  /** After how many milliseconds a connection that was idle is not used again, where that is not the usual: for tests. */
  idleTimeoutMs?: number;
  /** For how long each statement waits for locks, in milliseconds, where that is not as the account has it. */
  lockTimeoutMs?: number;
  /** Told of every round trip. */
  onQuery?: OnQuery;
  /** Holds the rows of raw statements against their schemas: for tests and development. */
  checkRows?: boolean;
  log?: { warn(fields: object, message: string): void };
};

/** For how long work that nobody waits for waits for a lock: what it then does has some seconds left. */
const PATIENT_LOCK_TIMEOUT_MS = QUERY_TIMEOUT_MS - 5_000;

/**
 * Opens the database, `*.neon.tech` through a WebSocket. Nothing is sent before the first query.
 * Errors of the server keep their SQLSTATE in `error.cause.code`; `isUnavailable` knows those of the connection.
 */
export async function connectDatabase(options: DatabaseOptions): Promise<Database> {
  const url = postgresUrl(options.url);
  const tunnel = tunnelOf(url, options.neonProxy);
  const openDriver = await driverFor(tunnel);
  const open = (own: DatabaseOptions) => openPool(openDriver(poolOptions(url, own)), own);
  const main = open(options);
  const apart = open({ ...options, max: 1 });
  const readiness = isServer(options) ? open({ ...options, max: 1 }) : undefined;
  const schedule = open({ ...options, max: 2, lockTimeoutMs: PATIENT_LOCK_TIMEOUT_MS });
  const openReplica = async (reportUrl: string) => {
    const replica = postgresUrl(reportUrl);
    const openDriver = await driverFor(tunnelOf(replica, options.neonProxy));
    return openPool(openDriver(poolOptions(replica, options)), options, { isReplica: true });
  };
  const reports = options.reportUrl ? await openReplica(options.reportUrl) : undefined;
  let closed: Promise<unknown> | undefined;
  return {
    db: main.db,
    reads: main.reads,
    signsOfLife: apart.db,
    readiness: (readiness ?? main).reads,
    schedule: schedule.db,
    reports: reports?.reads,
    transport: tunnel ? "websocket" : "tcp",
    async close() {
      closed ??= Promise.all([main, apart, readiness, schedule, reports].map((one) => one?.end()));
      await closed;
    },
  };
}

/** Loads the one driver that the database needs. */
async function driverFor(tunnel: string | undefined): Promise<(options: PoolOptions) => DriverPool> {
  if (!tunnel) return (await import("./pg-driver.ts")).openDriver;
  const { openDriver } = await import("./neon-driver.ts");
  return (options) => openDriver(options, tunnel);
}

/** A function serves one request at a time: a further connection would only cost the database. */
const isServer = ({ max = 2 }: DatabaseOptions): boolean => max >= 4;

/**
 * A pool of connections, none of which is opened before its first query. Beside what is sent to a replica nothing goes
 * that is asked of the database itself, such as who the caller is.
 */
function openPool(driver: DriverPool, options: DatabaseOptions, { isReplica = false } = {}) {
  driver.onIdleLost((error) => options.log?.warn({ reason: error.message }, "idle connection lost"));
  const { lockTimeoutMs } = options;
  const connect = () => pool.connect();
  const send = lockTimeoutMs ? waitForLocks(connect, lockTimeoutMs) : driver.send;
  const pool = layered({ send, connect: driver.connect }, [
    ...(isReplica ? [] : [pipelineChecks(async () => pgBatch(await connect()))]),
    shareConnections(options.max ?? 2, CONNECT_TIMEOUT_MS),
    reconnect(),
    ...(options.preparedStatements === false ? [] : [prepare(nameStatements(options.log))]),
    observe(options.onQuery),
  ]);
  const db: Db = driver.database(pool, { repeatable: false, lockTimeoutMs });
  const reads: ReadDb = driver.database(pool, { repeatable: true });
  if (options.checkRows) for (const one of [db, reads]) checkRows(one);
  return { db, reads, end: () => driver.end() };
}

/** One open connection of its own, past Neon's pooler. */
export async function openConnection(url: string): Promise<pg.Client> {
  const { openClient } = await import("./pg-driver.ts");
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
