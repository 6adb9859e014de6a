import { fileURLToPath } from "node:url";
import { drizzle } from "drizzle-orm/node-postgres";
import { migrate as runMigrations } from "drizzle-orm/node-postgres/migrator";
import type pg from "pg";
import { directConnection } from "./client.ts";

const committedMigrations = fileURLToPath(new URL("../../schema/migrations", import.meta.url));

/** Any number will do, as long as every deployment of this service asks for the same lock. */
const MIGRATION_LOCK = 7_305_144;

/**
 * Brings the database up to date, in one transaction, and answers the number of migrations applied.
 * Two deployments may start it at once: the second waits for the first, then finds nothing left to do.
 */
export async function migrate(url: string, folder = committedMigrations): Promise<number> {
  const client = directConnection(url);
  await client.connect();
  try {
    await client.query("select pg_advisory_lock($1)", [MIGRATION_LOCK]);
    const before = await countApplied(client);
    await runMigrations(drizzle(client), { migrationsFolder: folder });
    return (await countApplied(client)) - before;
  } finally {
    await client.end();
  }
}

async function countApplied(client: pg.Client): Promise<number> {
  const table = "drizzle.__drizzle_migrations";
  const found = await client.query<{ table: string | null }>("select to_regclass($1) as table", [table]);
  if (!found.rows[0]?.table) return 0;
  const counted = await client.query<{ applied: number }>(`select count(*)::int as applied from ${table}`);
  return counted.rows[0]?.applied ?? 0;
}
