import { existsSync } from "node:fs";
import path from "node:path";

/** What a script goes by: the environment, and for what is absent there the file `.env`. */
export function readEnvironment(): NodeJS.ProcessEnv {
  if (existsSync(".env")) process.loadEnvFile(".env");
  return process.env;
}

/** Where a local run keeps everything between runs: its database and its key. */
export const dataDirOf = (environment: NodeJS.ProcessEnv): string =>
  path.resolve(environment["DATA_DIR"]?.trim() || ".data");
