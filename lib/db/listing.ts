import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

/**
 * The order that a list is asked for, by name, `-` before it for the other way round; `by` has the expressions that
 * stand for each name. What is equal is in the order of the ids, the same way round, so that an index serves both.
 */
export function orderOf<Name extends string>(
  sort: Name | `-${Name}`,
  by: Record<Name, readonly SQLWrapper[]>,
  id: SQLWrapper,
): SQL {
  const isReversed = sort.startsWith("-");
  const direction = sql.raw(isReversed ? " desc" : "");
  const expressions = [...by[(isReversed ? sort.slice(1) : sort) as Name], id];
  return sql.join(
    expressions.map((one) => sql`${one}${direction}`),
    sql`, `,
  );
}

/** Rows whose text, as `searched` writes it, has each of the words; any row when none are looked for. */
export function has(searched: SQLWrapper, words: string | undefined): SQL | undefined {
  if (words === undefined) return undefined;
  const each = words.split(/\s+/).map((word) => sql`${searched} like search_pattern(${word}::text)`);
  return sql`(${sql.join(each, sql` and `)})`;
}
