import { type Config, loadConfig } from "../../lib/config.ts";
import { cloudParts } from "../../lib/credentials/cloud-parts.ts";
import type { Db } from "../../lib/db/client.ts";
import { migrate } from "../../lib/db/migrate.ts";
import { type Deps, wire } from "../../lib/deps.ts";
import { createLog, type Logger } from "../../lib/log.ts";
import { openLogFiles, toBoth } from "../../lib/log-files.ts";
import { isEmpty, seed } from "../seed.ts";
import { startServer } from "../server/http-server.ts";
import { checkPortIsFree } from "../server/listen.ts";
import { startMail } from "../server/mail.ts";
import { startQuizDeadlines } from "../server/quiz-deadlines.ts";
import { isDatabaseGiven, openDatabase } from "./database.ts";
import { dataDirOf, readEnvironment } from "./environment.ts";
import { startPracticeTutor } from "./practice-tutor.ts";
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

/** What the server stands on, and what may outlive it. */
export type Foundation = AsyncDisposable & {
  databaseUrl: string;
  /** Of the practice tutor; absent where an LLM is configured. */
  tutorUrl?: string;
};

/**
 * Starts all of the service on this machine: the database, brought up to date and filled when it is empty, the
 * practice tutor where no LLM is configured, and the server. Wrong settings and a taken port are refused before
 * anything is started; whatever fails later, what had been started is stopped again.
 */
export async function startPlatform(options: PlatformOptions = {}): Promise<Platform> {
  await using started = new AsyncDisposableStack();
  const foundation = started.use(await openFoundation(options));
  const platform = started.adopt(await startOn(foundation, options), ({ stop }) => stop());
  const all = started.move();
  return { ...platform, stop: () => all.disposeAsync() };
}

/** Starts the database and the practice tutor, after a look at what the server will need: its settings and its port. */
export async function openFoundation(options: PlatformOptions): Promise<Foundation> {
  const environment = await environmentOf(options);
  refuseProduction(environment);
  const notYetStarted = {
    databaseUrl: "postgresql://127.0.0.1/not-yet-started",
    tutorUrl: "http://127.0.0.1",
  };
  const { PORT } = configOf(environment, notYetStarted);
  await checkPortIsFree(options.port ?? PORT);

  await using started = new AsyncDisposableStack();
  const { url } = started.use(await openDatabase(environment, options.onProgress));
  const tutor = needsPracticeTutor(environment) ? await startPracticeTutor() : undefined;
  started.defer(async () => tutor?.close());
  const all = started.move();
  return {
    databaseUrl: url,
    ...(tutor && { tutorUrl: tutor.url }),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Starts the server on its foundation: brings the database up to date first, and fills it when it is empty. */
export async function startOn(
  foundation: Pick<Foundation, "databaseUrl" | "tutorUrl">,
  options: PlatformOptions = {},
): Promise<Platform> {
  const report = options.onProgress ?? (() => {});
  const environment = await environmentOf(options);
  const config = configOf(environment, foundation);
  const applied = await migrate(foundation.databaseUrl);
  if (applied > 0) report(`The database is up to date: ${applied} migrations applied`);

  await using started = new AsyncDisposableStack();
  const deps = wire(config, { parts: cloudParts, log: openLog(config, started) });
  started.defer(() => deps.close());
  if (isDatabaseGiven(environment)) await proposeSeed(deps, report);
  else await fillWhenEmpty(deps, report);
  const mail = startMail(deps, ({ address }, file) => {
    if (file) report(`A mail for ${address} is in ${file}`);
  });
  started.defer(async () => mail?.stop());
  const deadlines = startQuizDeadlines(deps);
  started.defer(() => deadlines.stop());
  const server = await startServer({ deps, port: options.port ?? config.PORT });
  started.defer(() => server.close());
  const all = started.move();
  return {
    base: server.url,
    config,
    db: deps.db,
    practiceTutor: foundation.tutorUrl !== undefined,
    stop: () => all.disposeAsync(),
  };
}

/** What is wrong with a database of this machine can be thrown away with it. */
async function fillWhenEmpty({ db, now, config }: Deps, report: (message: string) => void): Promise<void> {
  if (await seed(db, { now: now(), bcryptCost: config.BCRYPT_COST }))
    report("The database was empty: a demonstration is in it now");
}

/** A database that someone else keeps is filled only when they say so. */
async function proposeSeed({ db }: Deps, report: (message: string) => void): Promise<void> {
  if (await isEmpty(db)) report('The database is empty: "npm run seed" puts a demonstration into it');
}

/** The demonstration's accounts have a password that everyone knows, one of them a platform_admin's. */
export function refuseProduction(environment: NodeJS.ProcessEnv): void {
  if (environment["ENVIRONMENT"]?.trim() === "production")
    throw new Error('This is for development, and ENVIRONMENT is production: run "npm start" instead');
}

const configOf = (
  environment: NodeJS.ProcessEnv,
  { databaseUrl, tutorUrl = "" }: Pick<Foundation, "databaseUrl" | "tutorUrl">,
): Config => loadConfig(localSettings(environment, databaseUrl, tutorUrl));

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
