import { type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";

/**
 * An empty change rewrites `updated_at` unchanged: the statement still returns the row if the caller may
 * write it.
 */
export const partialUpdateValues = <C extends object>(
  change: C,
  table: { updated_at: PgColumn },
): C | { updated_at: SQL } =>
  Object.keys(change).length > 0 ? change : { updated_at: sql`${table.updated_at}` };

/** Like `partialUpdateValues`. An empty change does not raise the version. */
export const versionedUpdateValues = <C extends object>(
  change: C,
  table: { updated_at: PgColumn; version: PgColumn },
) =>
  Object.keys(change).length > 0
    ? { ...change, version: sql`${table.version} + 1` }
    : partialUpdateValues(change, table);
