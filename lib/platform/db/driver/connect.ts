import type pg from "pg";
import type { Db, ReadDb } from "../client.ts";
import { enableRowChecks } from "../row-checks.ts";
import { databaseWebSocketUrl, normalizePostgresUrl, unpooledDatabaseUrl } from "./address.ts";
import { limitConnectionsPerOperation } from "./connection-shares.ts";
import type { DriverPool } from "./driver-pool.ts";
import { applyPoolLayers } from "./layers.ts";
import { sendWithLockTimeout } from "./lock-timeout.ts";
import { createQueryObserverLayer, type OnQuery } from "./observe.ts";
import { toPgPipelinedBatch } from "./pg-batch.ts";
import { createPipelineLayer } from "./pipelined-batch.ts";
import { CONNECT_TIMEOUT_MS, type PoolOptions, poolOptions, QUERY_TIMEOUT_MS } from "./pool-options.ts";
import { createPreparedStatementLayer, createStatementNames } from "./prepared.ts";
import { createReconnectLayer } from "./reconnect.ts";

export type DatabaseHandles = {
  db: Db;
  reads: ReadDb;
  /** A separate connection for heartbeats, which never queues behind requests. */
  signsOfLife: Db;
  /** A server's separate connection for readiness checks. */
  readiness: ReadDb;
  /** Separate connections, with a lock timeout near the statement timeout. */
  schedule: Db;
  /** A replica for reports, if configured. It lags behind. */
  reports: ReadDb | undefined;
  /** Neon uses a WebSocket. */
  transport: "tcp" | "websocket";
  close(): Promise<void>;
};

export type DatabaseOptions = {
  /** `postgresql://…`; also `postgres://` and `postgresql+asyncpg://`. */
  url: string;
  reportUrl?: string | undefined;
  /** Connection limit. 2 suit a Lambda container, which serves one request at a time. */
  max?: number;
  /** `host:port` of a local stand-in for Neon's proxy. */
  neonProxy?: string;
  /** Turn off behind a pooler that cannot carry prepared statements. */
  preparedStatements?: boolean;
  /** Seconds by which the service's clock is ahead of the database's. */
  clockOffset?: number;
  /** Idle time in milliseconds after which a connection is not reused; for tests. */
  idleTimeoutMs?: number;
  /** Lock timeout in milliseconds, if not the account's default. */
  lockTimeoutMs?: number;
  onQuery?: OnQuery;
  /** Checks raw statements' rows. For tests and development. */
  checkRows?: boolean;
  log?: { warn(fields: object, message: string): void };
};

/** Leaves the statements of background work some seconds to run. */
const PATIENT_LOCK_TIMEOUT_MS = QUERY_TIMEOUT_MS - 5_000;

/**
 * Connects with the first query, to `*.neon.tech` through a WebSocket. Server errors have their SQLSTATE in
 * `error.cause.code`.
 */
export async function connectDatabase(options: DatabaseOptions): Promise<DatabaseHandles> {
  const url = normalizePostgresUrl(options.url);
  const tunnel = databaseWebSocketUrl(url, options.neonProxy);
  const openDriver = await driverFor(tunnel);
  const open = (own: DatabaseOptions) => openPool(openDriver(poolOptions(url, own)), own);
  const main = open(options);
  const apart = open({ ...options, max: 1 });
  const readiness = isServer(options) ? open({ ...options, max: 1 }) : undefined;
  const schedule = open({ ...options, max: 2, lockTimeoutMs: PATIENT_LOCK_TIMEOUT_MS });
  const openReplica = async (reportUrl: string) => {
    const replica = normalizePostgresUrl(reportUrl);
    const openDriver = await driverFor(databaseWebSocketUrl(replica, options.neonProxy));
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

async function driverFor(tunnel: string | undefined): Promise<(options: PoolOptions) => DriverPool> {
  if (!tunnel) return (await import("./pg-driver.ts")).openPgDriverPool;
  const { openNeonDriverPool } = await import("./neon-driver.ts");
  return (options) => openNeonDriverPool(options, tunnel);
}

/** A function serves one request at a time and needs few connections. */
const isServer = ({ max = 2 }: DatabaseOptions): boolean => max >= 4;

/** A lazy pool. Queries for the primary, such as authentication, never share a batch with a replica's. */
function openPool(driver: DriverPool, options: DatabaseOptions, { isReplica = false } = {}) {
  driver.onIdleLost((error) => options.log?.warn({ reason: error.message }, "idle connection lost"));
  const { lockTimeoutMs } = options;
  const connect = () => pool.connect();
  const send = lockTimeoutMs ? sendWithLockTimeout(connect, lockTimeoutMs) : driver.send;
  const pool = applyPoolLayers({ send, connect: driver.connect }, [
    ...(isReplica ? [] : [createPipelineLayer(async () => toPgPipelinedBatch(await connect()))]),
    limitConnectionsPerOperation(options.max ?? 2, CONNECT_TIMEOUT_MS),
    createReconnectLayer(),
    ...(options.preparedStatements === false
      ? []
      : [createPreparedStatementLayer(createStatementNames(options.log))]),
    createQueryObserverLayer(options.onQuery),
  ]);
  const db: Db = driver.database(pool, { repeatable: false, lockTimeoutMs });
  const reads: ReadDb = driver.database(pool, { repeatable: true });
  if (options.checkRows) for (const one of [db, reads]) enableRowChecks(one);
  return { db, reads, end: () => driver.end() };
}

/** One connection outside the pools and Neon's pooler. */
export async function openConnection(url: string): Promise<pg.Client> {
  const { createPgClient } = await import("./pg-driver.ts");
  const client = createPgClient({
    connectionString: unpooledDatabaseUrl(url),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  await client.connect();
  return client;
}

/** A connection without timeouts, for large loads. Needs a direct connection. */
export async function openConnectionWithoutTimeouts(url: string): Promise<pg.Client> {
  const client = await openConnection(url);
  await client.query(
    "set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set lock_timeout = 0",
  );
  return client;
}
