import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { ascending, descending, type Key } from "./page.ts";

/**
 * The order that a list is asked for, by name, `-` before it for the other way round; `by` has the keys that stand for
 * each name. What is equal is in the order of the ids, the same way round, so that an index serves both.
 */
export function orderOf<Name extends string>(
  sort: Name | `-${Name}`,
  by: Record<Name, readonly (PgColumn | Key)[]>,
  id: PgColumn | Key,
): Key[] {
  const isReversed = sort.startsWith("-");
  const keys: (PgColumn | Key)[] = [...by[(isReversed ? sort.slice(1) : sort) as Name], id];
  return keys.map((one) => {
    const key = "isNullable" in one ? one : ascending(one);
    return isReversed ? descending(key) : key;
  });
}

/** Rows whose text, as `searched` writes it, has each of the words; any row when none are looked for. */
export function has(searched: SQLWrapper, words: string | undefined): SQL | undefined {
  if (words === undefined) return undefined;
  const each = words.split(/\s+/).map((word) => sql`${searched} like search_pattern(${word}::text)`);
  return sql`(${sql.join(each, sql` and `)})`;
}
