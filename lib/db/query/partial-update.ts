import { type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";

/**
 * What a partial update sets. The empty change writes the row's own `updated_at` back: nothing changes, while the
 * statement still says, by the row that it answers or not, whether there is one that the caller may write.
 */
export const partialUpdate = <C extends object>(
  change: C,
  table: { updated_at: PgColumn },
): C | { updated_at: SQL } =>
  Object.keys(change).length > 0 ? change : { updated_at: sql`${table.updated_at}` };

/** The same of a row that counts how often it was written; the empty change counts for nothing. */
export const versionedUpdate = <C extends object>(
  change: C,
  table: { updated_at: PgColumn; version: PgColumn },
) =>
  Object.keys(change).length > 0
    ? { ...change, version: sql`${table.version} + 1` }
    : partialUpdate(change, table);
