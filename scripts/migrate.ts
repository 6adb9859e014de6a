/** `npm run migrate`: brings the database up to date. */
import { readDatabaseLockTimeoutMs } from "../lib/config.ts";
import { describeMigrated } from "../lib/platform/db/migrations/describe-migrated.ts";
import { migrate } from "../lib/platform/db/migrations/migrate.ts";
import { readEnvironment } from "../server/environment.ts";
import { commandLine } from "./command-line.ts";
import { runScript } from "./ops/run-script.ts";

commandLine({
  usage:
    "npm run migrate\n\nMigrates the database in DATABASE_URL, through DIRECT_DATABASE_URL if it is set. Without DATABASE_URL, migrates the local database.",
});

await runScript(async (_, directUrl) => {
  const requestLockTimeoutMs = readDatabaseLockTimeoutMs(readEnvironment());
  return describeMigrated(await migrate(directUrl, { requestLockTimeoutMs }));
});
