import { sql } from "drizzle-orm";
import * as z from "zod";
import journal from "../../schema/migrations/meta/_journal.json" with { type: "json" };
import type { Db } from "./client.ts";
import { rowsOf } from "./rows.ts";

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

const Applied = z.object({ newest: z.number() });

async function newestApplied(db: Db): Promise<number> {
  const statement = sql`select coalesce(max(created_at), 0)::float8 as newest from drizzle.__drizzle_migrations`;
  const [applied] = await rowsOf(db, Applied, statement).catch((error) => {
    if (error.cause?.code === UNDEFINED_TABLE) return [];
    throw error;
  });
  return applied?.newest ?? 0;
}
