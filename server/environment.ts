import { existsSync } from "node:fs";

/** What a server or a script goes by: the environment, and for what is absent there the file `.env`. */
export function readEnvironment(): NodeJS.ProcessEnv {
  if (existsSync(".env")) process.loadEnvFile(".env");
  return process.env;
}
