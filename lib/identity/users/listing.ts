import { and, eq, getTableColumns, isNull, not, or, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { alias, type PgColumn } from "drizzle-orm/pg-core";
import type { UserQuery } from "../../../schema/api/identity/users.ts";
import { universityMembers } from "../../../schema/db/identity/university-members.ts";
import { users } from "../../../schema/db/identity/users.ts";
import { createPageQuery, createSortKey, type SortKey } from "../../platform/db/query/page.ts";
import { containsAllWordsCondition, sortKeysForParameter } from "../../platform/db/query/search-and-sort.ts";
import type { Actor } from "../auth/actor.ts";
import { can } from "../rbac/policy.ts";
import { latestExternalIdSql, peopleByMemberNameQuery, personIdByExternalIdSql } from "./member-names.ts";
import { canSeeAllUsers } from "./visibility.ts";

/** In a subquery, next to the list's `users`. */
const person = alias(users, "person");

type Person = typeof users | typeof person;

const member = alias(universityMembers, "member");

type Named = Record<"id" | "search_text" | "created_at", PgColumn> &
  Record<"email" | "family_name", SQLWrapper>;

/** People without an address sort first, and so do those without a family name. */
const everyone = ({ university_id }: Pick<UserQuery, "university_id">): Named => ({
  ...getTableColumns(users),
  email: sql`coalesce(${users.email}, '')`,
  family_name: sql`(
    select one.family_name from university_members as one
    where one.university_id = ${university_id}::int and one.user_id = ${users.id})`,
});

/** At a university, by that university's names. */
export const peopleSortKeys = (
  { sort, university_id }: Pick<UserQuery, "sort" | "university_id">,
  of: Named = everyone({ university_id }),
): readonly SortKey[] => {
  const full_name = [createSortKey(of.search_text, "text")];
  const known = latestExternalIdSql(sql`${university_id}::int`, of.id);
  const orders = {
    id: [],
    full_name,
    email: [createSortKey(of.email, "text")],
    created_at: [of.created_at],
    family_name: [createSortKey(sql`coalesce(searched(${of.family_name}), '')`, "text"), ...full_name],
    external_id: [createSortKey(sql`coalesce(${known}, '')`, "text")],
  };
  return sortKeysForParameter(sort, orders, of.id);
};

/**
 * A superset of the page: visible `users`, limited to the first matches in each university. Otherwise all
 * people would be scanned.
 */
export function userQueryCondition(actor: Actor, query: UserQuery): SQL {
  if (canSeeAllUsers(actor) && query.university_id === undefined)
    return (
      and(
        isNull(users.erased_at),
        query.q === undefined ? filtersOf(users, query) : sql`${users.id} in (${found(query)})`,
        query.role ? sql`${users.id} in (${holders(query)})` : undefined,
      ) ?? sql`true`
    );
  const both = [oneself(actor, query), ofUniversities(actor, query)];
  const parts = both.filter((part) => part !== undefined);
  return sql`${users.id} in (${sql.join(parts, sql` union all `)})`;
}

function filtersOf(of: Person, { q, is_active, university_id, external_id }: UserQuery): SQL | undefined {
  const isKnownBy = (id: string) =>
    sql`${of.id} = ${personIdByExternalIdSql(sql`${university_id}::int`, id)}`;
  const isFound = containsAllWordsCondition(of.search_text, q);
  return and(
    external_id === undefined ? undefined : isKnownBy(external_id),
    q === undefined || university_id === undefined ? isFound : or(isFound, isKnownBy(q)),
    is_active === undefined ? undefined : is_active ? of.is_active.getSQL() : not(of.is_active),
  );
}

/** `q` also searches names at these universities, or at all. */
function found(query: UserQuery, universities?: readonly number[]): SQL {
  const { q, ...others } = query;
  const filters = filtersOf(person, others);
  const parts = [sql`select id from users as person where ${filtersOf(person, query) ?? sql`true`}`];
  if (q !== undefined)
    parts.push(sql`
      ${peopleByMemberNameQuery(q, universities)}
        ${filters && sql`and named.user_id in (select id from users as person where ${filters})`}`);
  return sql.join(parts, sql` union all `);
}

const holders = ({ role }: UserQuery): SQL =>
  sql`select user_id from user_university_roles where role = ${role?.toLowerCase()}`;

/** By a role, an enrollment or LTI staff rights, optionally with the given role. */
export function userOfUniversityCondition(
  university: SQLWrapper,
  user: SQLWrapper,
  { role }: Pick<UserQuery, "role">,
): SQL {
  const there = sql`university_id = ${university} and user_id = ${user}`;
  const held = sql`select from user_university_roles where ${there}`;
  // One `exists`, evaluated per person. Two would first be evaluated for all enrollments.
  return role
    ? sql`exists (${held} and role = ${role.toLowerCase()})`
    : sql`exists (${held} union all select from enrollments where ${there} union all select from offering_staff where ${there})`;
}

function oneself(actor: Actor, query: UserQuery): SQL {
  const { university_id, role } = query;
  const isMember =
    university_id !== undefined
      ? userOfUniversityCondition(sql`${university_id}`, person.id, query)
      : role && sql`${person.id} in (${holders(query)})`;
  return sql`select id from users as person where ${and(eq(person.id, actor.id), isMember, filtersOf(person, query))}`;
}

function ofUniversities(actor: Actor, query: UserQuery): SQL | undefined {
  const universities = universitiesOf(actor, query);
  if (universities.length === 0) return undefined;
  const wanted = and(
    sql`${member.university_id} = at.university_id`,
    userOfUniversityCondition(member.university_id, member.user_id, query),
    filtersOf(person, query) && sql`${member.user_id} in (${found(query, universities)})`,
  );
  return sql`
    select first.user_id from unnest(${sql.param(universities)}::int[]) as at (university_id),
      lateral (${isByExternalId(query) ? firstByExternalId(query, wanted) : firstMembers(query, wanted)}) as first`;
}

function firstMembers(
  query: UserQuery,
  wanted: SQL | undefined,
  order = peopleSortKeys(query, members),
): SQL {
  const { skip, limit, after } = query;
  const first = createPageQuery({ skip: 0, limit: skip + limit, after }, order);
  return sql`select member.user_id from university_members as member ${first.tail(wanted)}`;
}

const members: Named = { ...getTableColumns(member), id: member.user_id };

const isByExternalId = ({ sort }: UserQuery): boolean => /^-?external_id$/.test(sort);

/**
 * Sorted by external id: those with one by its index, those without separately, which avoids sorting
 * everyone.
 */
function firstByExternalId(query: UserQuery, wanted: SQL | undefined): SQL {
  const { sort, skip, limit, after } = query;
  const knownAs = (external_id: SQL) =>
    sortKeysForParameter(
      sort as "external_id" | "-external_id",
      { external_id: [createSortKey(external_id, "text")] },
      member.user_id,
    );
  const there = sql`known.university_id = member.university_id and known.user_id = member.user_id`;
  const known = createPageQuery({ skip: 0, limit: skip + limit, after }, knownAs(sql`known.sourced_id`));
  const newest = sql`not exists (
    select from sourced_people as newer
    where newer.university_id = known.university_id and newer.user_id = known.user_id and newer.id > known.id)`;
  const unknown = sql`not exists (select from sourced_people as known where ${there})`;
  return sql`
    (select member.user_id from sourced_people as known join university_members as member on ${there}
     ${known.tail(and(wanted, sql`known.university_id = at.university_id`, newest))})
    union all
    (${firstMembers(query, and(wanted, unknown), knownAs(sql`''::text`))})`;
}

function universitiesOf(actor: Actor, { university_id }: UserQuery): number[] {
  if (university_id !== undefined)
    return can(actor.roles, "user:read", { university_id }) ? [university_id] : [];
  return [
    ...new Set(
      actor.roles.filter((role) => can([role], "user:read", role)).map((role) => role.university_id),
    ),
  ];
}
