import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { PlannedByValue } from "../planned-by-value.ts";
import { ascending, descending, type Key, keyOf } from "./page.ts";

type Orders<Name extends string> = Record<Name, readonly (PgColumn | Key)[]>;

/** How rows of a kind are found, and put in order. */
export type SearchAndSort<Name extends string> = { searched: SQLWrapper; sorts: Orders<Name> };

/** Rows that are found by a text, as `searched` writes it, and put in the order of it by this name, and in other orders. */
export function listedBy<const Title extends string, Other extends string = never>(
  searched: SQLWrapper,
  title: Title,
  others = {} as Orders<Other>,
): SearchAndSort<"id" | Title | Other> {
  const sorts = { id: [], [title]: [keyOf(searched, "text")], ...others };
  return { searched, sorts: sorts as unknown as Orders<"id" | Title | Other> };
}

/** The text of what has a name and a code. */
export const searchedWithCode = (name: PgColumn, code: PgColumn): SQL =>
  sql`searched(${name} || ' ' || ${code})`;

/**
 * The order that a list is asked for, by name, `-` before it for the other way round; `by` has the keys that stand for
 * each name. What is equal is in the order of the ids, the same way round, so that an index serves both.
 */
export function orderOf<Name extends string>(
  sort: Name | `-${Name}`,
  by: Orders<Name>,
  id: PgColumn | Key,
): Key[] {
  const isReversed = sort.startsWith("-");
  const keys: (PgColumn | Key)[] = [...by[(isReversed ? sort.slice(1) : sort) as Name], id];
  return keys.map((one) => {
    const key = "isNullable" in one ? one : ascending(one);
    return isReversed ? descending(key) : key;
  });
}

/**
 * What text as `searched` writes it is like that has these words next to each other. They may be within a word; one or two
 * characters, which no index finds there, are at the beginning of one.
 */
export const patternOf = (words: SQL): SQL =>
  sql`case when length(btrim(searched(${words}))) < 3 then '% ' else '%' end || btrim(searched(${words})) || '%'`;

/** Rows whose text, as `searched` writes it, has each of the words; any row when none are looked for. */
export function has(searched: SQLWrapper, words: string | undefined): SQL | undefined {
  if (words === undefined) return undefined;
  const each = words
    .split(/\s+/)
    .map((word) => sql`${searched} like ${patternOf(sql`${new PlannedByValue(word)}::text`)}`);
  return sql`(${sql.join(each, sql` and `)})`;
}
