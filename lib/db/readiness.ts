import { sql } from "drizzle-orm";
import journal from "../../schema/migrations/meta/_journal.json" with { type: "json" };
import type { Db } from "./client.ts";

/** SQLSTATE of a table that is not there. */
const UNDEFINED_TABLE = "42P01";

/**
 * How many of this version's migrations the database does not have. Those of a newer version do no harm: they go
 * forward only, and the version before them keeps running while they are applied.
 */
export async function missingMigrations(db: Db): Promise<number> {
  const newest = await newestApplied(db);
  return journal.entries.filter(({ when }) => when > newest).length;
}

async function newestApplied(db: Db): Promise<number> {
  const asked = db.execute<{ newest: number }>(
    sql`select coalesce(max(created_at), 0)::float8 as newest from drizzle.__drizzle_migrations`,
  );
  const { rows } = await asked.catch((error) => {
    if (error.cause?.code === UNDEFINED_TABLE) return { rows: [] };
    throw error;
  });
  return rows[0]?.newest ?? 0;
}
