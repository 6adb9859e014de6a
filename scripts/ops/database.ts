import { readEnvironment } from "../../server/environment.ts";

/** True if DATABASE_URL is set, so this script does not own the database. */
export const isDatabaseGiven = (environment: NodeJS.ProcessEnv): boolean =>
  Boolean(environment["DATABASE_URL"]?.trim());

export type OpenDatabase = AsyncDisposable & { url: string };

/** With the address for session connections: DIRECT_DATABASE_URL, past a pooler, if set. */
export type GivenDatabase = OpenDatabase & { direct: string };

/**
 * The script's database: DATABASE_URL, or the one in DATA_DIR, started if necessary and stopped on disposal
 * unless a development server uses it. Rejects if neither exists, as in the image.
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
  // Loaded on demand, because production images lack development code.
  const local = await import("../dev/local-database.ts").catch((error) => {
    if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new Error("DATABASE_URL is required", { cause: error });
  });
  return local.openLocalDatabase(environment, onProgress);
}

/** One may come from `.env` and the other from the command. */
function checkSame(url: string, direct: string): void {
  const nameIn = (address: string) => new URL(address).pathname;
  if (nameIn(url) !== nameIn(direct))
    throw new Error("DIRECT_DATABASE_URL and DATABASE_URL name different databases");
}
