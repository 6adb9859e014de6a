import type pg from "pg";

/*
 * Requests lock a table and then wait for another, in an order of their own: by their triggers, by their foreign keys. A
 * migration that has locked the other and waits for the first is never let in, however often it begins anew, where such
 * requests come without end. So it learns: what it waited for in vain it locks before all else the next time, when it holds
 * nothing that anyone could wait for.
 */

/** The tables and views that a statement names where it would lock them: what it alters, refers to, makes an index or trigger of. */
const tablesIn = (statement: string): string[] =>
  [
    ...statement.matchAll(
      /\b(?:table|view|references|on)\s+(?:only\s+)?(?:if exists\s+)?(?:"?public"?\.)?"?(\w+)"?/gi,
    ),
  ].map(([, table = ""]) => table);

/** An order of locking, with the tables of the statement that was not let in before all others. */
export async function lockedBefore(
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

export const lockTable = (table: string): string => `lock table "${table}" in access exclusive mode`;
