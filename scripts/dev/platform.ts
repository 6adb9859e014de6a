import type { Config } from "../../lib/config.ts";
import { createDeps, type Deps } from "../../lib/deps.ts";
import type { Db } from "../../lib/platform/db/client.ts";
import { describeMigrated } from "../../lib/platform/db/migrations/describe-migrated.ts";
import { migrate } from "../../lib/platform/db/migrations/migrate.ts";
import { createLog, type Logger } from "../../lib/platform/logging/log.ts";
import { openLogFiles, teeLogStreams } from "../../lib/platform/logging/log-files.ts";
import { startServer } from "../../server/http-server.ts";
import { serverParts } from "../../server/parts.ts";
import { startWork } from "../../server/schedule.ts";
import { isDatabaseGiven } from "../ops/database.ts";
import { isEmpty, seed } from "../seed.ts";
import {
  configOf,
  environmentOf,
  type Foundation,
  openFoundation,
  type PlatformOptions,
} from "./foundation.ts";

export type Platform = {
  base: string;
  config: Config;
  db: Db;
  deps: Deps;
  practiceTutor: boolean;
  /** Stops everything that was started here, in order of dependency. */
  stop(): Promise<void>;
};

/**
 * Starts the whole service on this machine: the database, migrated and seeded if empty, the practice tutor
 * unless an LLM is configured, and the server. Invalid settings or a used port fail before anything starts. A
 * later failure stops what was started.
 */
export async function startPlatform(options: PlatformOptions = {}): Promise<Platform> {
  await using started = new AsyncDisposableStack();
  const foundation = started.use(await openFoundation(options));
  const platform = started.adopt(await startOn(foundation, options), ({ stop }) => stop());
  const all = started.move();
  return { ...platform, stop: () => all.disposeAsync() };
}

/** Starts the server on its foundation: migrates the database, and seeds it if empty. */
export async function startOn(
  foundation: Pick<Foundation, "databaseUrl" | "tutorUrl">,
  options: PlatformOptions = {},
): Promise<Platform> {
  const report = options.onProgress ?? (() => {});
  const environment = await environmentOf(options);
  const config = configOf(environment, foundation);
  const migrated = await migrate(foundation.databaseUrl);
  if (migrated.migrations + migrated.functions > 0) report(describeMigrated(migrated));

  await using started = new AsyncDisposableStack();
  const deps = await createDeps(config, { parts: serverParts, log: openLog(config, started) });
  started.defer(() => deps.close());
  if (isDatabaseGiven(environment)) await proposeSeed(deps, report);
  else await fillWhenEmpty(deps, report);
  const work = startWork(deps, ({ address }, file) => {
    if (file) report(`A mail for ${address} is in ${file}`);
  });
  for (const rounds of work) started.defer(() => rounds.stop());
  const server = await startServer({ deps, port: options.port ?? config.PORT });
  started.defer(() => server.close());
  const all = started.move();
  return {
    base: server.url,
    config,
    db: deps.db,
    deps,
    practiceTutor: foundation.tutorUrl !== undefined,
    stop: () => all.disposeAsync(),
  };
}

/** A local database can be deleted if something is wrong with it. */
async function fillWhenEmpty({ db, now, config }: Deps, report: (message: string) => void): Promise<void> {
  if (await seed(db, { now: now(), bcryptCost: config.BCRYPT_COST }))
    report("The database was empty, so the demonstration was added");
}

/** A given database is seeded only on request. */
async function proposeSeed({ db }: Deps, report: (message: string) => void): Promise<void> {
  if (await isEmpty(db)) report('The database is empty. "npm run seed" adds the demonstration');
}

/** A server also logs to files. */
function openLog(config: Config, started: AsyncDisposableStack): Logger {
  if (!config.LOG_FILE_ENABLED) return createLog(config);
  const files = openLogFiles(config);
  started.defer(() => files.close());
  return createLog(config, teeLogStreams(process.stdout, files));
}
