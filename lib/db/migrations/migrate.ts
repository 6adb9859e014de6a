import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { readMigrationFiles } from "drizzle-orm/migrator";
import type pg from "pg";
import { openConnection } from "../driver/connect.ts";
import { sqlStateOf } from "../unavailable.ts";
import { keepAccountSettings } from "./account-settings.ts";
import { lockedBefore, lockTable } from "./lock-order.ts";
import {
  appliedMigrations,
  CannotMigrate,
  checkHistory,
  checkOurs,
  checkVersion,
  noteMigration,
} from "./migration-history.ts";
import { applyInSteps, isInSteps, type Migration } from "./migration-steps.ts";
import { keepOwnersFunctions } from "./owners-functions.ts";

/** The folder of the migrations that this version has. */
export const committedMigrations = fileURLToPath(new URL("../../../schema/migrations", import.meta.url));

/** Any number will do, as long as every deployment of this service asks for the same lock. */
export const MIGRATION_LOCK = 7_305_144;

/**
 * Brings the database up to date, and answers the number of migrations applied: those that stand together in one
 * transaction, but for those in steps (migration-steps.ts), which let go of their locks after each. The account's
 * settings, and who may call what acts with the owner's rights, are renewed each time: another account may have been put in
 * its place, or a backup.
 * Two deployments may start it at once: the second waits for the first, then finds nothing left to do.
 * Rejects with `CannotMigrate`, and leaves the database as it is, where its PostgreSQL is too old, where something else or
 * other migrations made it, where a migration was changed since, and where someone holds what is needed for longer than
 * `migrationLockTimeout`. What was stopped in its steps goes on there when it is started again. `lockTimeoutMs` is for
 * how long the account's statements wait for a lock from then on.
 */
export async function migrate(
  url: string,
  folder = committedMigrations,
  migrationLockTimeout = "5min",
  lockTimeoutMs?: number,
): Promise<number> {
  const [client, holder] = [await openConnection(url), await openConnection(url)];
  // A connection that is lost fails the next statement.
  for (const one of [client, holder]) one.on("error", () => {});
  try {
    await checkVersion(client);
    // The lock is a transaction's: a pooler that lends a connection for each transaction cannot part the two. It has a
    // connection of its own, since steps are transactions of theirs.
    await begin(holder, migrationLockTimeout);
    await holder.query(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    const applied = await appliedMigrations(client);
    if (applied.length === 0) await checkOurs(client);
    await checkHistory(applied, folder);
    const missing = migrationsIn(folder, applied);
    for (const together of inTransactions(missing)) {
      const [first] = together;
      if (first && isInSteps(first)) await applyInSteps(client, first);
      else await applyTogether(client, together, migrationLockTimeout);
    }
    await applyTogether(client, [], migrationLockTimeout, async () => {
      await keepAccountSettings(client, lockTimeoutMs);
      await keepOwnersFunctions(client);
    });
    return missing.length;
  } catch (error) {
    throw ["55P03", "40P01"].includes(sqlStateOf(error) ?? "")
      ? new CannotMigrate(stillLocked(migrationLockTimeout), { cause: error })
      : error;
  } finally {
    await Promise.all([client.end(), holder.end()]);
  }
}

async function begin(client: pg.Client, migrationLockTimeout: string): Promise<void> {
  await client.query("begin");
  await client.query(`
    set local lock_timeout = '${migrationLockTimeout}';
    set local statement_timeout = 0;
    set local idle_in_transaction_session_timeout = 0`);
}

/** For how long a migration holds up who comes after it to a table that someone else has, before it comes again. */
const ATTEMPT_LOCK_TIMEOUT = "500ms";
const PAUSE_MS = 250;

/**
 * Migrations in one transaction, and what belongs to it. Where others hold what it needs, or wait for what it holds, it is
 * undone and begins anew, with that first: whoever comes to a table meanwhile would wait behind it.
 */
async function applyTogether(
  client: pg.Client,
  migrations: readonly Migration[],
  migrationLockTimeout: string,
  and: () => Promise<void> = async () => {},
): Promise<void> {
  const { rows } = await client.query<{ ms: number }>(
    "select extract(epoch from $1::interval)::float8 * 1000 as ms",
    [migrationLockTimeout],
  );
  const deadline = performance.now() + (rows[0]?.ms ?? 0);
  let order: string[] = [];
  for (;;) {
    let current = "";
    const run = (statement: string) => {
      current = statement;
      return client.query(statement);
    };
    try {
      await begin(client, ATTEMPT_LOCK_TIMEOUT);
      for (const table of order) await run(lockTable(table));
      for (const { sql, hash, folderMillis } of migrations) {
        for (const statement of sql) await run(statement);
        await noteMigration(client, { hash, generated: folderMillis });
      }
      await and();
      return void (await client.query("commit"));
    } catch (error) {
      const isHeld = ["55P03", "40P01"].includes(sqlStateOf(error) ?? "");
      if (!isHeld || performance.now() > deadline) throw error;
      await client.query("rollback");
      order = await lockedBefore(client, order, current);
      await delay(PAUSE_MS);
    }
  }
}

/** What is applied in one transaction each; one in steps stands alone. */
function inTransactions(missing: readonly Migration[]): Migration[][] {
  const runs: Migration[][] = [];
  for (const migration of missing) {
    const last = runs.at(-1);
    if (last?.[0] && !isInSteps(last[0]) && !isInSteps(migration)) last.push(migration);
    else runs.push([migration]);
  }
  return runs;
}

/** The migrations of a folder that a database lacks, which has those that are given. */
export function migrationsIn(folder: string, applied: readonly { generated: number }[]) {
  const newest = applied.at(-1)?.generated ?? 0;
  return readMigrationFiles({ migrationsFolder: folder }).filter(({ folderMillis }) => folderMillis > newest);
}

const stillLocked = (migrationLockTimeout: string): string =>
  `The database was not free within ${migrationLockTimeout}: another migration runs, or someone holds a table that is to be ` +
  "changed. What was begun was undone. Ask pg_locks and pg_stat_activity who it is, and start again";
