import { type Config, loadConfig } from "../../lib/config.ts";
import { ensureLogFilesWritable } from "../../lib/platform/logging/log-files.ts";
import { readEnvironment } from "../../server/environment.ts";
import { checkPortIsFree } from "../../server/listen.ts";
import { openDatabase } from "../ops/database.ts";
import { needsPracticeTutor } from "../ops/settings.ts";
import { dataDirOf, refuseProduction } from "./data-dir.ts";
import { startPracticeTutor } from "./practice-tutor.ts";
import { keepSecretKey, localSettings } from "./settings.ts";

export type PlatformOptions = {
  /** Overrides PORT; 0 takes a free one. */
  port?: number;
  /** Default of the access log; off unless set. */
  accessLog?: boolean;
  /** Pause before each word of the practice tutor, in milliseconds; default: a real model's pace. */
  tutorPauseMs?: number;
  onProgress?: (message: string) => void;
};

/** The services that the server needs, and that may outlive it. */
export type Foundation = AsyncDisposable & {
  databaseUrl: string;
  /** The practice tutor's URL; undefined if an LLM is configured. */
  tutorUrl?: string;
};

/** Starts the database and the practice tutor, after checking settings, port and the log's location. */
export async function openFoundation(options: PlatformOptions): Promise<Foundation> {
  const environment = await environmentOf(options);
  refuseProduction(environment);
  const notYetStarted = {
    databaseUrl: "postgresql://127.0.0.1/not-yet-started",
    tutorUrl: "http://127.0.0.1",
  };
  const config = configOf(environment, notYetStarted);
  await checkPortIsFree(options.port ?? config.PORT);
  await ensureLogFilesWritable(config);

  await using started = new AsyncDisposableStack();
  const { url } = started.use(await openDatabase(environment, options.onProgress));
  const tutor = needsPracticeTutor(environment)
    ? await startPracticeTutor({ pauseMs: options.tutorPauseMs })
    : undefined;
  started.defer(async () => tutor?.close());
  const all = started.move();
  return {
    databaseUrl: url,
    ...(tutor && { tutorUrl: tutor.url }),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

export const configOf = (
  environment: NodeJS.ProcessEnv,
  { databaseUrl, tutorUrl = "" }: Pick<Foundation, "databaseUrl" | "tutorUrl">,
): Config => loadConfig(localSettings(environment, databaseUrl, tutorUrl));

/** This machine's settings, with a persistent key. */
export async function environmentOf({ accessLog = false }: PlatformOptions) {
  const environment = readEnvironment();
  return {
    ...environment,
    SECRET_KEY: environment["SECRET_KEY"]?.trim() || (await keepSecretKey(dataDirOf(environment))),
    ...(!accessLog && { ENABLE_ACCESS_LOG: "false" }),
  };
}
