import { type Config, loadConfig } from "../../lib/config.ts";
import { cloudParts } from "../../lib/credentials/cloud-parts.ts";
import type { Db } from "../../lib/db/client.ts";
import { migrate } from "../../lib/db/migrate.ts";
import { wire } from "../../lib/deps.ts";
import { createLog, type Logger } from "../../lib/log.ts";
import { openLogFiles, toBoth } from "../../lib/log-files.ts";
import { seed } from "../seed.ts";
import { openDatabase } from "./database.ts";
import { dataDirOf, readEnvironment } from "./environment.ts";
import { startPracticeTutor } from "./practice-tutor.ts";
import { checkPortIsFree, startServer } from "./server.ts";
import { keepSecretKey, localSettings, needsPracticeTutor } from "./settings.ts";

export type PlatformOptions = {
  /** Instead of PORT; 0 takes a free one. */
  port?: number;
  /** Whether each request is logged, where the settings leave it open; off by default. */
  accessLog?: boolean;
  onProgress?: (message: string) => void;
};

export type Platform = {
  base: string;
  config: Config;
  db: Db;
  practiceTutor: boolean;
  /** Stops everything that was started here, in the order in which one part needs the other. */
  stop(): Promise<void>;
};

/**
 * Starts all of the service on this machine: the database, brought up to date and filled when it is empty, the
 * practice tutor where no LLM is configured, and the server. Wrong settings and a taken port are refused before
 * anything is started; whatever fails later, what had been started is stopped again.
 */
export async function startPlatform(options: PlatformOptions = {}): Promise<Platform> {
  const report = options.onProgress ?? (() => {});
  const environment = await environmentOf(options);
  const settings = (databaseUrl: string, tutorUrl: string) =>
    loadConfig(localSettings(environment, databaseUrl, tutorUrl));
  const { PORT } = settings("postgresql://127.0.0.1/not-yet-started", "http://127.0.0.1");
  const port = options.port ?? PORT;
  await checkPortIsFree(port);

  await using started = new AsyncDisposableStack();
  const database = started.use(await openDatabase(environment, report));
  const applied = await migrate(database.url);
  if (applied > 0) report(`The database is up to date: ${applied} migrations applied`);
  const tutor = needsPracticeTutor(environment) ? await startPracticeTutor() : undefined;
  started.defer(async () => tutor?.close());

  const config = settings(database.url, tutor?.url ?? "");
  const deps = wire(config, { parts: cloudParts, log: openLog(config, started) });
  started.defer(() => deps.close());
  if (await seed(deps.db, { now: deps.now(), bcryptCost: config.BCRYPT_COST }))
    report("The database was empty: a demonstration is in it now");
  const server = await startServer({ deps, port });
  started.defer(() => server.close());
  const all = started.move();
  return {
    base: server.url,
    config,
    db: deps.db,
    practiceTutor: tutor !== undefined,
    stop: () => all.disposeAsync(),
  };
}

/** A server of its own keeps its log in files too. */
function openLog(config: Config, started: AsyncDisposableStack): Logger {
  if (!config.LOG_FILE_ENABLED) return createLog(config);
  const files = openLogFiles(config);
  started.defer(() => files.close());
  return createLog(config, toBoth(process.stdout, files));
}

async function environmentOf({ accessLog = false }: PlatformOptions) {
  const environment = readEnvironment();
  return {
    ...environment,
    SECRET_KEY: environment["SECRET_KEY"]?.trim() || (await keepSecretKey(dataDirOf(environment))),
    ...(!accessLog && { ENABLE_ACCESS_LOG: "false" }),
  };
}
