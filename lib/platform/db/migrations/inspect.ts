import type pg from "pg";
import { openConnection } from "../driver/connect.ts";
import { hashSchemaFunctions } from "./functions-hash.ts";
import { MIGRATION_LOCK, pendingMigrationsIn } from "./migrate.ts";
import {
  appliedMigrations,
  CannotMigrate,
  ensureMigrationHistoryMatches,
  ensureServerVersion,
  hasAppliedFunctions,
} from "./migration-history.ts";
import { ownSchema } from "./schema.ts";

export type SchemaInspection = {
  /** The functions count as one. */
  missing: number;
  /** The session that migrates now: `pid 71 since 10:15:03 (idle in transaction)`. */
  migrating: string | undefined;
};

/**
 * Inspects a database read-only by its direct address. Rejects if it is unreachable, and with `CannotMigrate`
 * if it is too old or has other migrations.
 */
export async function inspectDatabase(url: string, schema = ownSchema): Promise<SchemaInspection> {
  const client = await openConnection(url);
  try {
    await client.query("begin read only");
    await ensureServerVersion(client);
    const applied = await appliedMigrations(client);
    await ensureMigrationHistoryMatches(client, applied, schema);
    const functions = (await hasAppliedFunctions(client, hashSchemaFunctions(schema))) ? 0 : 1;
    const missing = pendingMigrationsIn(schema.migrations, applied).length + functions;
    return { missing, migrating: await holderOfLock(client) };
  } finally {
    await client.end();
  }
}

async function holderOfLock(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ holder: string }>(
    `select format('pid %s since %s (%s)', pid, to_char(xact_start, 'HH24:MI:SS'), coalesce(state, 'unknown')) as holder
     from pg_locks join pg_stat_activity as activity using (pid)
     where locktype = 'advisory' and objid = $1 and objsubid = 1 and granted and datname = current_database()`,
    [MIGRATION_LOCK],
  );
  return rows[0]?.holder;
}

export async function migrationBlocker(url: string): Promise<string | undefined> {
  try {
    await inspectDatabase(url);
    return undefined;
  } catch (error) {
    if (error instanceof CannotMigrate) return error.message;
    throw error;
  }
}
