import { type Config, loadConfig } from "../lib/config.ts";
import { readEnvironment } from "./environment.ts";

export function serverConfig(): Config {
  const environment = readEnvironment();
  const poolSize = environment["DATABASE_POOL_SIZE"]?.trim() || "10";
  return loadConfig({ ...environment, DATABASE_POOL_SIZE: poolSize });
}
