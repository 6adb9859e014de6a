import path from "node:path";
import { dataDirOf, openDataDir, readEnvironment } from "./environment.ts";
import { startLocalPostgres } from "./postgres.ts";

/** Whether the database is one that someone else keeps. */
export const isDatabaseGiven = (environment: NodeJS.ProcessEnv): boolean =>
  Boolean(environment["DATABASE_URL"]?.trim());

export type OpenDatabase = AsyncDisposable & { url: string };

/**
 * The database that a script works on: DATABASE_URL, or the one in DATA_DIR. That one is started when it does not
 * run, and stopped again on disposal; a running development server's is shared and left alone.
 */
export async function openDatabase(
  environment = readEnvironment(),
  onProgress?: (message: string) => void,
): Promise<OpenDatabase> {
  const given = environment["DATABASE_URL"]?.trim();
  if (given) return { url: given, [Symbol.asyncDispose]: async () => {} };
  await openDataDir(dataDirOf(environment));
  const dataDir = path.join(dataDirOf(environment), "postgres");
  const { url, stop } = await startLocalPostgres({
    dataDir,
    durable: true,
    ...(onProgress && { onProgress }),
  });
  return { url, [Symbol.asyncDispose]: stop };
}
