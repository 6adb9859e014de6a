import { fileURLToPath } from "node:url";
import { drizzle } from "drizzle-orm/node-postgres";
import { migrate as runMigrations } from "drizzle-orm/node-postgres/migrator";
import { keepAccountSettings } from "./account-settings.ts";
import { openSession } from "./client.ts";
import { appliedMigrations, checkHistory } from "./migration-history.ts";

const committedMigrations = fileURLToPath(new URL("../../schema/migrations", import.meta.url));

/** Any number will do, as long as every deployment of this service asks for the same lock. */
const MIGRATION_LOCK = 7_305_144;

/**
 * Brings the database up to date, in one transaction, and answers the number of migrations applied. The account's
 * settings are renewed each time: another account may have been put in its place.
 * Two deployments may start it at once: the second waits for the first, then finds nothing left to do.
 * A database that other migrations made, or one that was changed since, is refused and left as it is.
 */
export async function migrate(url: string, folder = committedMigrations): Promise<number> {
  const client = await openSession(url);
  try {
    await client.query("select pg_advisory_lock($1)", [MIGRATION_LOCK]);
    const before = await appliedMigrations(client);
    await checkHistory(before, folder);
    await runMigrations(drizzle(client), { migrationsFolder: folder });
    await keepAccountSettings(client);
    return (await appliedMigrations(client)).length - before.length;
  } finally {
    await client.end();
  }
}
