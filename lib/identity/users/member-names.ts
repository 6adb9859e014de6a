import { or, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { NamedPerson } from "../../../schema/api/identity/named-person.ts";
import { createSortKey, type SortKey } from "../../platform/db/query/page.ts";
import { containsAllWordsCondition } from "../../platform/db/query/search-and-sort.ts";

/* Uses rows `member` of `university_members` (possibly missing) and `users`. */

export const memberJoinSql = (university: SQLWrapper, person: SQLWrapper): SQL => sql`
  left join university_members as member on member.university_id = ${university} and member.user_id = ${person}`;

/** The latest id in the university's own system, or null. */
export const latestExternalIdSql = (university: SQLWrapper, person: SQLWrapper): SQL => sql`(
  select known.sourced_id from sourced_people as known
  where known.university_id = ${university} and known.user_id = ${person} order by known.id desc limit 1)`;

/** Latest or not; null if there is none. */
export const personIdByExternalIdSql = (
  university: SQLWrapper,
  external_id: SQLWrapper | string,
): SQL => sql`(
  select known.user_id from sourced_people as known
  where known.university_id = ${university} and known.sourced_id = ${external_id})`;

/** Null if the row `member` has no name of the person. */
export const memberNameSearchTextSql = sql`case when num_nonnulls(member.given_name, member.family_name) > 0
  then searched(concat_ws(' ', member.given_name, member.family_name, member.email)) end`;

/** The name there or the account's, the address and the id. */
export const memberSearchTextSql = (university: SQLWrapper, person: SQLWrapper): SQL => sql`(
  coalesce(${memberNameSearchTextSql}, users.search_text, '') || ' ' || searched(coalesce(${latestExternalIdSql(university, person)}, '')))`;

/** People (`user_id`) whose name at one of these universities, or any, has each word. Uses an index. */
export function peopleByMemberNameQuery(q: string, universities?: readonly number[]): SQL {
  const name = sql`searched(coalesce(named.given_name, '') || ' ' || coalesce(named.family_name, ''))`;
  return sql`
    select named.user_id from university_members as named
    where (named.given_name is not null or named.family_name is not null) and ${containsAllWordsCondition(name, q)}
      ${universities && sql`and named.university_id = any (${sql.param(universities)}::int[])`}`;
}

/**
 * A row `member` matches `q`: each word in the account's name or address or in the name there, or a full id.
 * Undefined without `q`.
 */
export const memberSearchCondition = (university: number, q: string | undefined): SQL | undefined =>
  q === undefined
    ? undefined
    : or(
        containsAllWordsCondition(sql`member.search_text`, q),
        sql`member.user_id in (${peopleByMemberNameQuery(q, [university])})`,
        sql`member.user_id = ${personIdByExternalIdSql(sql`${university}::int`, q)}`,
      );

/** Former members have no name and sort first. */
export const memberNameSortKeys: SortKey[] = [
  createSortKey(sql`coalesce(${memberNameSearchTextSql}, member.search_text, '')`, "text"),
];

export const sortsByMemberName = {
  full_name: [createSortKey(sql`coalesce(${memberNameSearchTextSql}, users.search_text, '')`, "text")],
  family_name: [
    createSortKey(sql`coalesce(searched(member.family_name), '')`, "text"),
    createSortKey(sql`coalesce(${memberNameSearchTextSql}, users.search_text, '')`, "text"),
  ],
} satisfies Record<string, SortKey[]>;

export const hasPersonIdentifier = ({ user_id, email, external_id }: NamedPerson): boolean =>
  user_id !== undefined || email !== undefined || external_id !== undefined;
