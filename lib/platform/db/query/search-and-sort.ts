import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { memoize } from "../../caching/memoize.ts";
import { PlannedByValue } from "../planned-by-value.ts";
import { ascending, createSortKey, descending, type SortKey } from "./page.ts";

type Orders<Name extends string> = Record<Name, readonly (PgColumn | SortKey)[]>;

export type SearchAndSort<Name extends string> = { searched: SQLWrapper; sorts: Orders<Name> };

/** Searches by the SQL function `searched`, and sorts by that text, as `title`, and by `others`. */
export function searchAndSortBy<const Title extends string, Other extends string = never>(
  searched: SQLWrapper,
  title: Title,
  others = {} as Orders<Other>,
): SearchAndSort<"id" | Title | Other> {
  const sorts = { id: [], [title]: [createSortKey(searched, "text")], ...others };
  return { searched, sorts: sorts as unknown as Orders<"id" | Title | Other> };
}

export const searchTextWithCodeSql = (name: PgColumn, code: PgColumn): SQL =>
  sql`searched(${name} || ' ' || ${code})`;

/**
 * `-` for descending; `by` has the keys. Ties are ordered by id in the same direction, so one index serves
 * both.
 */
export function sortKeysForParameter<Name extends string>(
  sort: Name | `-${Name}`,
  by: Orders<Name>,
  id: PgColumn | SortKey,
): readonly SortKey[] {
  const known = keysBySort(by)(id);
  const keys = known.get(sort) ?? sortKeys(sort, by, id);
  known.set(sort, keys);
  return keys;
}

/** Kept, so that the SQL of constant keys is built once. */
const keysBySort = memoize((_by: object) => memoize((_id: object) => new Map<string, readonly SortKey[]>()));

function sortKeys<Name extends string>(
  sort: Name | `-${Name}`,
  by: Orders<Name>,
  id: PgColumn | SortKey,
): SortKey[] {
  const isReversed = sort.startsWith("-");
  const keys: (PgColumn | SortKey)[] = [...by[(isReversed ? sort.slice(1) : sort) as Name], id];
  return keys.map((one) => {
    const key = "isNullable" in one ? one : ascending(one);
    return isReversed ? descending(key) : key;
  });
}

/**
 * A LIKE pattern for words in sequence, in the form of `searched`. One or two characters match only at a
 * word's start: the index cannot find them elsewhere.
 */
export const likePatternForWordsSql = (words: SQL): SQL =>
  sql`case when length(btrim(searched(${words}))) < 3 then '% ' else '%' end || btrim(searched(${words})) || '%'`;

/** The text contains every word. Undefined without words. */
export function containsAllWordsCondition(searched: SQLWrapper, words: string | undefined): SQL | undefined {
  if (words === undefined) return undefined;
  const each = words
    .split(/\s+/)
    .map((word) => sql`${searched} like ${likePatternForWordsSql(sql`${new PlannedByValue(word)}::text`)}`);
  return sql`(${sql.join(each, sql` and `)})`;
}
