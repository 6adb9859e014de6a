import { readEnvironment } from "../../server/environment.ts";

/** Whether the database is one that someone else keeps. */
export const isDatabaseGiven = (environment: NodeJS.ProcessEnv): boolean =>
  Boolean(environment["DATABASE_URL"]?.trim());

export type OpenDatabase = AsyncDisposable & { url: string };

/** With the address for what takes a connection of its own: DIRECT_DATABASE_URL, which goes past a pooler, if it is set. */
export type GivenDatabase = OpenDatabase & { direct: string };

/**
 * The database that a script works on: DATABASE_URL, or the one in DATA_DIR. That one is started when it does not
 * run, and stopped again on disposal; a running development server's is shared and left alone. Rejects where neither is
 * to be had, as in the image.
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
  // Only where it is needed, since what is for development is not everywhere.
  const local = await import("../dev/local-database.ts").catch((error) => {
    if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new Error("DATABASE_URL is required", { cause: error });
  });
  return local.openLocalDatabase(environment, onProgress);
}

/** One of the two may stand in `.env`, and the other be given for once. */
function checkSame(url: string, direct: string): void {
  const nameIn = (address: string) => new URL(address).pathname;
  if (nameIn(url) !== nameIn(direct))
    throw new Error("DIRECT_DATABASE_URL names another database than DATABASE_URL");
}
