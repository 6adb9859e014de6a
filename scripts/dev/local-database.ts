import path from "node:path";
import type { GivenDatabase } from "../ops/database.ts";
import { dataDirOf, openDataDir } from "./data-dir.ts";
import { startLocalPostgres } from "./postgres.ts";

/** The database in DATA_DIR: started unless running, and stopped on disposal unless shared. */
export async function openLocalDatabase(
  environment: NodeJS.ProcessEnv,
  onProgress?: (message: string) => void,
): Promise<GivenDatabase> {
  await openDataDir(dataDirOf(environment));
  const dataDir = path.join(dataDirOf(environment), "postgres");
  const { url, stop } = await startLocalPostgres({
    dataDir,
    durable: true,
    ...(onProgress && { onProgress }),
  });
  return { url, direct: url, [Symbol.asyncDispose]: stop };
}
