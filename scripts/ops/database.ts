import path from "node:path";
import { dataDirOf, openDataDir, readEnvironment } from "../../server/environment.ts";
import { startLocalPostgres } from "../dev/postgres.ts";

/** Whether the database is one that someone else keeps. */
export const isDatabaseGiven = (environment: NodeJS.ProcessEnv): boolean =>
  Boolean(environment["DATABASE_URL"]?.trim());

export type OpenDatabase = AsyncDisposable & { url: string };

/** With the address for what takes a connection of its own: DIRECT_DATABASE_URL, which goes past a pooler, if it is set. */
export type GivenDatabase = OpenDatabase & { direct: string };

/**
 * The database that a script works on: DATABASE_URL, or the one in DATA_DIR. That one is started when it does not
 * run, and stopped again on disposal; a running development server's is shared and left alone.
 */
export async function openDatabase(
  environment = readEnvironment(),
  onProgress?: (message: string) => void,
): Promise<GivenDatabase> {
  const given = environment["DATABASE_URL"]?.trim();
  const direct = environment["DIRECT_DATABASE_URL"]?.trim() || given;
  if (given && direct) {
    if (direct !== given) checkSame(given, direct);
    return { url: given, direct, [Symbol.asyncDispose]: async () => {} };
  }
  await openDataDir(dataDirOf(environment));
  const dataDir = path.join(dataDirOf(environment), "postgres");
  const { url, stop } = await startLocalPostgres({
    dataDir,
    durable: true,
    ...(onProgress && { onProgress }),
  });
  return { url, direct: url, [Symbol.asyncDispose]: stop };
}

/** One of the two may stand in `.env`, and the other be given for once. */
function checkSame(url: string, direct: string): void {
  const nameIn = (address: string) => new URL(address).pathname;
  if (nameIn(url) !== nameIn(direct))
    throw new Error("DIRECT_DATABASE_URL names another database than DATABASE_URL");
}
