import { type Config, loadConfig } from "../lib/config.ts";
import { readEnvironment } from "./environment.ts";

/** Settings of a server process, which serves concurrent requests. */
export function serverConfig(): Config {
  const environment = readEnvironment();
  const poolSize = environment["DATABASE_POOL_SIZE"]?.trim() || "10";
  return loadConfig({ ...environment, DATABASE_POOL_SIZE: poolSize });
}
