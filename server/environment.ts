import { existsSync } from "node:fs";

/** The environment, completed by the file `.env`. */
export function readEnvironment(): NodeJS.ProcessEnv {
  if (existsSync(".env")) process.loadEnvFile(".env");
  return process.env;
}
