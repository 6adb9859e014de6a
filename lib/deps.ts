import type { Config } from "./config.ts";
import { createShutdownTracker, type ShutdownTracker } from "./platform/async/lifecycle.ts";
import type { Db, ReadDb } from "./platform/db/client.ts";
import { connectDatabase, type DatabaseHandles, type DatabaseOptions } from "./platform/db/driver/connect.ts";
import { type FileStore, refusingFileStore } from "./platform/file-store/file-store.ts";
import { type CredentialStore, refusingCredentialStore } from "./platform/llm/credential-store.ts";
import type { EmbeddingsProvider } from "./platform/llm/embeddings.ts";
import { type LlmProvider, refusingProvider } from "./platform/llm/provider.ts";
import { noTracer, type Tracer } from "./platform/llm/tracer.ts";
import { providerReportingStopsAndProblems } from "./platform/llm/watched-provider.ts";
import { createLog, type Logger } from "./platform/logging/log.ts";
import { createScimRequestBuffer, type ScimRequestBuffer } from "./platform/metrics/directory-requests.ts";
import {
  createForbiddenRequestBuffer,
  type ForbiddenRequestBuffer,
} from "./platform/metrics/forbidden-requests.ts";
import { createMetrics, type Metrics, noMetrics } from "./platform/metrics/metrics.ts";
import { createPersonDataReadBuffer, type PersonDataReadBuffer } from "./platform/metrics/person-reads.ts";
import { type Reporter, startReporter } from "./platform/metrics/reporter.ts";
import { metricsReportSqlComment } from "./platform/metrics/store.ts";
import { createTokenService, type TokenService } from "./platform/secrets/tokens.ts";

/** Created once per container. */
export type Deps = {
  config: Config;
  db: Db;
  /** A read-only handle, whose statements may be repeated. */
  reads: ReadDb;
  /** For the platform's own keys, which even a read may create on first use. */
  ownKeys: Db;
  /** Separate connections; see `Database`. */
  signsOfLife: Db;
  readiness: ReadDb;
  schedule: Db;
  /** A replica for reports, if configured. */
  reports: ReadDb | undefined;
  /** The service's clock; the database's `service_now()` follows it. */
  now: () => Date;
  lifecycle: ShutdownTracker;
  log: Logger;
  tokens: TokenService;
  llm: LlmProvider;
  embeddings: EmbeddingsProvider | undefined;
  tracer: Pick<Tracer, "flush">;
  credentials: CredentialStore;
  fileStore: FileStore;
  metrics: Metrics & Pick<Reporter, "report">;
  refusals: Pick<ForbiddenRequestBuffer, "note">;
  directoryRequests: Pick<ScimRequestBuffer, "note">;
  personReads: Pick<PersonDataReadBuffer, "note">;
};

export type ReadDeps = Omit<Deps, "db" | "schedule" | "signsOfLife"> & { db: ReadDb };

/** Tests use a cloned database and a frozen clock, functions add parts. */
export type DepsOverrides = Partial<Pick<Deps, "now" | "log" | "llm">> & {
  database?: DatabaseHandles;
  parts?: ExtraDepsFactory;
};

/** For parts that only some functions bundle. */
export type ExtraDepsFactory = (base: Pick<Deps, "config" | "now" | "db" | "log">) => Parts;

type Parts = Partial<Pick<Deps, "llm" | "embeddings" | "credentials" | "fileStore"> & { tracer: Tracer }>;

/** `close` sends remaining metrics and traces and closes connections. */
export async function createDeps(
  config: Config,
  overrides: DepsOverrides = {},
): Promise<Deps & { close(): Promise<void> }> {
  const log = overrides.log ?? createLog(config);
  const now = overrides.now ?? clockOf(config);
  const counts = config.ENABLE_METRICS ? createMetrics() : undefined;
  const metrics = counts ?? noMetrics;
  const database = overrides.database ?? (await connectDatabase(databaseOptions(config, log, metrics)));
  const refusals = createForbiddenRequestBuffer();
  const directoryRequests = createScimRequestBuffer();
  const personReads = createPersonDataReadBuffer(database.db, log);
  const reporter = startReporter(
    { counts, besides: { refusals, directoryRequests, personReads } },
    database.db,
    log,
  );
  const { db, reads, signsOfLife, readiness, schedule, reports } = database;
  const parts = overrides.parts?.({ config, now, db, log }) ?? {};
  const { llm = overrides.llm, credentials = refusingCredentialStore, tracer = noTracer } = parts;
  const { fileStore = refusingFileStore } = parts;
  return {
    config,
    log,
    now,
    lifecycle: createShutdownTracker(),
    db,
    reads,
    ownKeys: db,
    signsOfLife,
    readiness,
    schedule,
    reports,
    tokens: createTokenService(config, now),
    llm: providerReportingStopsAndProblems(llm ?? refusingProvider("this function has no LLM provider"), {
      db,
      log,
      metrics,
      now,
    }),
    embeddings: parts.embeddings,
    tracer,
    credentials,
    fileStore,
    metrics: { ...metrics, report: reporter.report },
    refusals,
    directoryRequests,
    personReads,
    async close() {
      await Promise.all([reporter.close(), tracer.close()]);
      await database.close();
    },
  };
}

const clockOf =
  ({ CLOCK_OFFSET = 0 }: Config) =>
  (): Date =>
    new Date(Date.now() + CLOCK_OFFSET * 1000);

function databaseOptions(config: Config, log: Logger, metrics: Metrics): DatabaseOptions {
  return {
    url: config.DATABASE_URL,
    reportUrl: config.REPORT_DATABASE_URL,
    max: config.DATABASE_POOL_SIZE,
    preparedStatements: config.DATABASE_PREPARED_STATEMENTS,
    checkRows: config.ENVIRONMENT === "development",
    ...(config.CLOCK_OFFSET && { clockOffset: config.CLOCK_OFFSET }),
    log,
    ...(config.NEON_LOCAL_PROXY && { neonProxy: config.NEON_LOCAL_PROXY }),
    onQuery({ text, duration_ms, failed }) {
      if (!text.startsWith(metricsReportSqlComment)) metrics.queryEnded(text, duration_ms);
      const isSlow = duration_ms >= config.SLOW_QUERY_THRESHOLD_MS;
      if (!isSlow && !config.DATABASE_ECHO) return;
      const fields = { text: text.replaceAll(/\s+/g, " ").trim(), duration_ms, failed };
      if (isSlow) log.warn(fields, "slow query");
      else log.info(fields, "query");
    },
  };
}

/** Background work waits longer for locks than requests. */
export const withScheduleDb = <D extends Pick<Deps, "db" | "schedule">>(deps: D): D => ({
  ...deps,
  db: deps.schedule,
});
