import { setTimeout as delay } from "node:timers/promises";
import { readMigrationFiles } from "drizzle-orm/migrator";
import type pg from "pg";
import { openConnection } from "../driver/connect.ts";
import { sqlStateOf } from "../unavailable.ts";
import { type AppliedFunctions, applyFunctions } from "./apply-functions.ts";
import { isLockFailure } from "./error-with-source-line.ts";
import { readFunctionTexts } from "./function-texts.ts";
import { hashSchemaFunctions } from "./functions-hash.ts";
import { lockTableQuery, tablesToLockFirst } from "./lock-order.ts";
import {
  appliedMigrations,
  CannotMigrate,
  ensureMigrationHistoryMatches,
  ensureNoForeignTables,
  ensureServerVersion,
  recordAppliedFunctionsVersion,
  recordAppliedMigration,
} from "./migration-history.ts";
import { applyInSteps, isInSteps, type Migration } from "./migration-steps.ts";
import { revokePublicExecute } from "./revoke-public-execute.ts";
import { storeRoleSettings } from "./role-settings.ts";
import { ownSchema, type SchemaSource } from "./schema.ts";

/** Arbitrary, but the same in every deployment. */
export const MIGRATION_LOCK = 7_305_144;

export type MigrateOptions = {
  schema?: SchemaSource;
  /** For other migrations and locked tables. */
  lockTimeout?: string;
  requestLockTimeoutMs?: number | undefined;
};

export type MigrationResult = {
  migrations: number;
  functions: number;
} & Pick<AppliedFunctions, "unlisted">;

/**
 * Applies migrations, changed functions (apply-functions.ts), the account's settings and rights in one
 * transaction. Migrations in steps (migration-steps.ts), and those before them, use separate transactions; an
 * interrupted one continues next time. A concurrent deployment waits. Rejects with `CannotMigrate`, without
 * changes, if PostgreSQL is too old, another program or a newer version made the database, or locks take
 * longer than `setLockTimeoutSql`.
 */
export async function migrate(
  url: string,
  { schema = ownSchema, lockTimeout = "5min", requestLockTimeoutMs }: MigrateOptions = {},
): Promise<MigrationResult> {
  const texts = readFunctionTexts(schema);
  const client = await openWatched(url);
  const holder = await openWatched(url).catch(async (error) => {
    await client.end();
    throw error;
  });
  try {
    await ensureServerVersion(client);
    // A transaction holds the lock, because a pooler lends a connection per transaction. The lock has its own
    // connection: steps use separate transactions.
    await begin(holder, lockTimeout);
    await holder.query(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    const applied = await appliedMigrations(client);
    if (applied.length === 0) await ensureNoForeignTables(client);
    await ensureMigrationHistoryMatches(client, applied, schema);
    const missing = pendingMigrationsIn(schema.migrations, applied);
    const { apart, last } = inTransactions(missing);
    for (const together of apart) {
      const [first] = together;
      if (first && isInSteps(first)) await applyInSteps(client, first);
      else await applyTogether(client, together, lockTimeout);
    }
    let functions: AppliedFunctions = { changes: 0, unlisted: [] };
    // An empty database has no users: statements share a message.
    const messages = applied.length === 0 ? last.map(inOneMessage) : last;
    await applyTogether(client, messages, lockTimeout, async (run) => {
      functions = await applyFunctions(client, { ...schema, texts }, run);
      await recordAppliedFunctionsVersion(client, hashSchemaFunctions(schema), schema.version);
      await storeRoleSettings(client, requestLockTimeoutMs);
      await revokePublicExecute(client);
    });
    return { migrations: missing.length, functions: functions.changes, unlisted: functions.unlisted };
  } catch (error) {
    throw isLockFailure(error) ? new CannotMigrate(stillLocked(lockTimeout), { cause: error }) : error;
  } finally {
    await Promise.all([client.end(), holder.end()]);
  }
}

/** A lost connection fails its next statement. */
async function openWatched(url: string): Promise<pg.Client> {
  const client = await openConnection(url);
  return client.on("error", () => {});
}

async function begin(client: pg.Client, migrationLockTimeout: string): Promise<void> {
  await client.query("begin");
  await client.query(`
    set local lock_timeout = '${migrationLockTimeout}';
    set local statement_timeout = 0;
    set local idle_in_transaction_session_timeout = 0`);
}

/** Later requests for a table queue behind a waiting migration. */
const ATTEMPT_LOCK_TIMEOUT = "500ms";
const PAUSE_MS = 250;

type Run = (statements: string) => Promise<unknown>;

/**
 * One transaction for migrations, then `and`, which restores dropped views. After a lock timeout or deadlock,
 * rolls back and retries with that table locked first.
 */
async function applyTogether(
  client: pg.Client,
  migrations: readonly Migration[],
  lockTimeout: string,
  and?: (run: Run) => Promise<void>,
): Promise<void> {
  const { rows } = await client.query<{ ms: number }>(
    "select extract(epoch from $1::interval)::float8 * 1000 as ms",
    [lockTimeout],
  );
  const deadline = performance.now() + (rows[0]?.ms ?? 0);
  let order: string[] = [];
  let withoutViews = false;
  for (;;) {
    let current = "";
    let inMigrations = true;
    const run = (statements: string) => {
      current = statements;
      return client.query(statements);
    };
    try {
      await begin(client, ATTEMPT_LOCK_TIMEOUT);
      for (const table of order) await run(lockTableQuery(table));
      if (withoutViews) await run(dropViews);
      for (const { sql, hash, folderMillis } of migrations) {
        for (const statement of sql) await run(statement);
        await recordAppliedMigration(client, { hash, generated: folderMillis });
      }
      inMigrations = false;
      await and?.(run);
      return void (await client.query("commit"));
    } catch (error) {
      await client.query("rollback");
      if (isLockFailure(error) && performance.now() <= deadline) {
        order = await tablesToLockFirst(client, order, current);
        await delay(PAUSE_MS);
      } else if (and && inMigrations && !withoutViews && mayBeOfViews(error)) withoutViews = true;
      else throw error;
    }
  }
}

/** A view uses a column that a migration drops or retypes. */
const mayBeOfViews = (error: unknown) => ["2BP01", "0A000"].includes(sqlStateOf(error) ?? "");

/** Except views of extensions. */
const dropViews = `
  do $$ begin
    execute (
      select coalesce('drop view ' || string_agg(quote_ident(relname), ', ') || ' cascade', 'select')
      from pg_class where relnamespace = 'public'::regnamespace and relkind = 'v'
        and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e'));
  end $$`;

/** `apart` have separate transactions, `last` share one. */
function inTransactions(missing: readonly Migration[]): { apart: Migration[][]; last: Migration[] } {
  const apart: Migration[][] = [];
  let last: Migration[] = [];
  for (const migration of missing) {
    if (!isInSteps(migration)) last.push(migration);
    else {
      if (last.length > 0) apart.push(last);
      apart.push([migration]);
      last = [];
    }
  }
  return { apart, last };
}

const inOneMessage = (migration: Migration): Migration => ({
  ...migration,
  sql: [migration.sql.join("\n;\n")],
});

export function pendingMigrationsIn(folder: string, applied: readonly { generated: number }[]) {
  const newest = applied.at(-1)?.generated ?? 0;
  return readMigrationFiles({ migrationsFolder: folder }).filter(({ folderMillis }) => folderMillis > newest);
}

const stillLocked = (migrationLockTimeout: string): string =>
  `The database was locked for ${migrationLockTimeout}: another migration runs, or a transaction holds a table that must ` +
  "change. Everything was rolled back. Find the transaction in pg_locks and pg_stat_activity, then start again";
