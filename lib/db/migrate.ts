import { fileURLToPath } from "node:url";
import { readMigrationFiles } from "drizzle-orm/migrator";
import type pg from "pg";
import { keepAccountSettings } from "./account-settings.ts";
import { openConnection } from "./client.ts";
import {
  appliedMigrations,
  CannotMigrate,
  checkHistory,
  checkOurs,
  checkVersion,
  noteMigration,
} from "./migration-history.ts";
import { keepOwnersFunctions } from "./owners-functions.ts";
import { sqlStateOf } from "./unavailable.ts";

/** The folder of the migrations that this version has. */
export const committedMigrations = fileURLToPath(new URL("../../schema/migrations", import.meta.url));

/** Any number will do, as long as every deployment of this service asks for the same lock. */
export const MIGRATION_LOCK = 7_305_144;

/**
 * Brings the database up to date, in one transaction, and answers the number of migrations applied. The account's
 * settings, and who may call what acts with the owner's rights, are renewed each time: another account may have been put in
 * its place, or a backup.
 * Two deployments may start it at once: the second waits for the first, then finds nothing left to do.
 * Rejects with `CannotMigrate`, and leaves the database as it is, where its PostgreSQL is too old, where something else or
 * other migrations made it, where a migration was changed since, and where someone holds what is needed for longer than
 * `patience`. `lockTimeoutMs` is for how long the account's statements wait for a lock from then on.
 */
export async function migrate(
  url: string,
  folder = committedMigrations,
  patience = "5min",
  lockTimeoutMs?: number,
): Promise<number> {
  const client = await openConnection(url);
  try {
    await checkVersion(client);
    // The lock is the transaction's: a pooler that lends a connection for each transaction cannot part the two.
    await client.query("begin");
    await client.query(`
      set local lock_timeout = '${patience}';
      set local statement_timeout = 0;
      set local idle_in_transaction_session_timeout = 0;
      select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    const applied = await appliedMigrations(client);
    if (applied.length === 0) await checkOurs(client);
    await checkHistory(applied, folder);
    const missing = migrationsIn(folder, applied);
    for (const migration of missing) await apply(client, migration);
    await keepAccountSettings(client, lockTimeoutMs);
    await keepOwnersFunctions(client);
    await client.query("commit");
    return missing.length;
  } catch (error) {
    throw sqlStateOf(error) === "55P03" ? new CannotMigrate(stillLocked(patience), { cause: error }) : error;
  } finally {
    await client.end();
  }
}

/** The migrations of a folder that a database lacks, which has those that are given. */
export function migrationsIn(folder: string, applied: readonly { generated: number }[]) {
  const newest = applied.at(-1)?.generated ?? 0;
  return readMigrationFiles({ migrationsFolder: folder }).filter(({ folderMillis }) => folderMillis > newest);
}

const stillLocked = (patience: string): string =>
  `The database was not free within ${patience}: another migration runs, or someone holds a table that is to be ` +
  "changed. Nothing was done. Ask pg_locks and pg_stat_activity who it is, and start again";

async function apply(
  client: pg.Client,
  migration: ReturnType<typeof readMigrationFiles>[number],
): Promise<void> {
  for (const statement of migration.sql) await client.query(statement);
  await noteMigration(client, { hash: migration.hash, generated: migration.folderMillis });
}
