import type pg from "pg";

/*
 * Requests lock tables in the order of triggers and foreign keys. A migration with another order could time
 * out repeatedly. So each retry first locks the table it could not get.
 */

/** Tables and views that a statement alters, references, or indexes. */
const tablesIn = (statement: string): string[] =>
  [
    ...statement.matchAll(
      /\b(?:table|view|references|on)\s+(?:only\s+)?(?:if exists\s+)?(?:"?public"?\.)?"?(\w+)"?/gi,
    ),
  ].map(([, table = ""]) => table);

export async function tablesToLockFirst(
  client: pg.Client,
  order: readonly string[],
  statement: string,
): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    "select relname as name from pg_class where relkind in ('r', 'p', 'v') and relname = any($1) and pg_table_is_visible(oid)",
    [tablesIn(statement)],
  );
  return [...new Set([...rows.map(({ name }) => name), ...order])];
}

export const lockTableQuery = (table: string): string => `lock table "${table}" in access exclusive mode`;
