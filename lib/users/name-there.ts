import { or, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { NamedPerson } from "../../schema/api/named-person.ts";
import { type Key, keyOf } from "../db/query/page.ts";
import { has } from "../db/query/search-and-sort.ts";

/*
 * What a university calls one of its people, beside the name of the account: of rows `member` of `university_members`,
 * which may be missing, and `users`.
 */

/** The row `member` of a person at a university, joined to it. */
export const joinMember = (university: SQLWrapper, person: SQLWrapper): SQL => sql`
  left join university_members as member on member.university_id = ${university} and member.user_id = ${person}`;

/** The newest id by which a university's own system knows a person; null without one. */
export const externalId = (university: SQLWrapper, person: SQLWrapper): SQL => sql`(
  select known.sourced_id from sourced_people as known
  where known.university_id = ${university} and known.user_id = ${person} order by known.id desc limit 1)`;

/** The one of its people whom a university knows by an id, newest or not; null where it is nobody's. */
export const personByExternalId = (university: SQLWrapper, external_id: SQLWrapper | string): SQL => sql`(
  select known.user_id from sourced_people as known
  where known.university_id = ${university} and known.sourced_id = ${external_id})`;

/** What a university's lists find a row `member` by whom it names itself; null where it has no name of theirs. */
export const searchTextThere = sql`case when num_nonnulls(member.given_name, member.family_name) > 0
  then searched(concat_ws(' ', member.given_name, member.family_name, member.email)) end`;

/** What a university's lists are searched by: their own name there, else that of the account, the address, and the id. */
export const searchedThere = (university: SQLWrapper, person: SQLWrapper): SQL => sql`(
  coalesce(${searchTextThere}, users.search_text, '') || ' ' || searched(coalesce(${externalId(university, person)}, '')))`;

/** The people whom one of these universities, or any, calls so that each of the words is in it, as `user_id`: by an index. */
export function namedThere(q: string, universities?: readonly number[]): SQL {
  const name = sql`searched(coalesce(named.given_name, '') || ' ' || coalesce(named.family_name, ''))`;
  return sql`
    select named.user_id from university_members as named
    where (named.given_name is not null or named.family_name is not null) and ${has(name, q)}
      ${universities && sql`and named.university_id = any (${sql.param(universities)}::int[])`}`;
}

/**
 * Whether a row `member` is found by `q` as in the list of the university's people: by each of its words in the name and the address
 * of the account, or in the name there, or as all of an id. Undefined where nothing is looked for.
 */
export const memberFoundBy = (university: number, q: string | undefined): SQL | undefined =>
  q === undefined
    ? undefined
    : or(
        has(sql`member.search_text`, q),
        sql`member.user_id in (${namedThere(q, [university])})`,
        sql`member.user_id = ${personByExternalId(sql`${university}::int`, q)}`,
      );

/** What members are put in order of who are named as the university names them; nobody's name, of who is none any more, is first. */
export const byNameOfMember: Key[] = [
  keyOf(sql`coalesce(${searchTextThere}, member.search_text, '')`, "text"),
];

/** What a university's lists put people in order of, by the word for it. */
export const sortsByNameThere = {
  full_name: [keyOf(sql`coalesce(${searchTextThere}, users.search_text, '')`, "text")],
  family_name: [
    keyOf(sql`coalesce(searched(member.family_name), '')`, "text"),
    keyOf(sql`coalesce(${searchTextThere}, users.search_text, '')`, "text"),
  ],
} satisfies Record<string, Key[]>;

/** Whether anyone is named. */
export const namesAnyone = ({ user_id, email, external_id }: NamedPerson): boolean =>
  user_id !== undefined || email !== undefined || external_id !== undefined;
