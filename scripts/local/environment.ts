import { existsSync } from "node:fs";
import path from "node:path";

/** What a script goes by: the environment, and for what is absent there the file `.env`. */
export function readEnvironment(): NodeJS.ProcessEnv {
  requireNode24();
  if (existsSync(".env")) process.loadEnvFile(".env");
  return process.env;
}

/** Where a local run keeps everything between runs: its database and its key. */
export const dataDirOf = (environment: NodeJS.ProcessEnv): string =>
  path.resolve(environment["DATA_DIR"]?.trim() || ".data");

/** npm runs scripts with the Node 24 that `npm ci` installs; a `node` typed by hand may be another. */
function requireNode24(): void {
  if (Number.parseInt(process.versions.node, 10) >= 24) return;
  console.error(`This needs Node 24 and runs on ${process.version}: use "npm run …", or install Node 24.`);
  process.exit(1);
}
