import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { users } from "../../../schema/db/identity/users.ts";
import { createBatchedLookup } from "../../platform/db/batched-lookup.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { wireColumnsSql } from "../../platform/db/query/json-rows.ts";
import { createPreparedRowsQuery } from "../../platform/db/query/rows.ts";
import type { TokenBearer } from "../../platform/secrets/tokens.ts";
import { HeldRole } from "../rbac/policy.ts";
import type { ActingApiKey } from "./acting-key.ts";
import { UniversityRequiringProviderRow, universityRequiringProviderJsonSql } from "./required-provider.ts";
import { rolesInTokenReach, type TokenLimits, universitiesDeniedToToken } from "./token-reach.ts";

export const profileColumns = {
  id: users.id,
  email: users.email,
  full_name: users.full_name,
  email_verified_at: users.email_verified_at,
  is_active: users.is_active,
  locale: users.locale,
  time_zone: users.time_zone,
  tutor_sees_results: users.tutor_sees_results,
  current_streak_days: users.current_streak_days,
  last_activity_date: users.last_activity_date,
  created_at: users.created_at,
  avatar_token: users.avatar_token,
};

// Raw SQL: in a single-table select Drizzle omits the table name from columns.
const rolesIn = (held: SQL): SQL => sql`coalesce((
  select json_agg(json_build_object(
    'role', role, 'university_id', university_id, 'department_id', department_id, 'course_id', course_id))
  from ${held} where user_id = users.id), '[]'::json)`;

const heldRoles = rolesIn(sql`held_roles`);

/** Without those of a teacher, which take a fifth of the query's time. */
const grantedRoles = rolesIn(
  sql`(select user_id, role, university_id, department_id, null::integer as course_id from user_university_roles) as held`,
);

/** Nobody teaches without another role (the view `held_roles`). */
export const isOnlyLearner = ({ roles }: Pick<PersonWithRolesAndLimits, "roles">): boolean =>
  roles.every(({ role }) => role === "student");

const launchedRoles = sql`(
  select json_agg(json_build_object('role', role, 'university_id', university_id, 'department_id', null, 'offering_id', course_offering_id))
  from offering_staff where user_id = users.id and removed_at is null)`;

const ownProviders = sql`(
  select json_agg(${universityRequiringProviderJsonSql})
  from universities as university
  where university.requires_own_provider and exists (
    select from university_members where university_id = university.id and user_id = users.id))`;

/** With the last start in epoch seconds; null if none. */
const suspensions = sql`(
  select json_agg(json_build_object(
    'university_id', university.id, 'university', university.name, 'is_over', member.is_active,
    'began_at', floor(extract(epoch from member.tokens_ended_at))::bigint))
  from university_members as member join universities as university on university.id = member.university_id
  where member.user_id = users.id and member.tokens_ended_at is not null)`;

const onlyUniversityIf = (isNeeded: SQL) => sql`case when users.password_hash is null and ${isNeeded}
  then sole_sign_in_university_of_account(users.id) end`;

/** Only these tokens need `only_university_id`. Its lookup takes a quarter of the query's time. */
const isOfUniversity = ({ reach }: TokenBearer): boolean => reach !== undefined && !reach.offering_id;

const Suspension = z.object({
  university_id: z.int(),
  university: z.string(),
  is_over: z.boolean(),
  began_at: z.int(),
});

const isPerson = (text: string): boolean =>
  z
    .object({
      profile: z.record(z.string(), z.unknown()),
      roles: z.array(HeldRole),
      launched_roles: z.array(HeldRole).nullable(),
      own_providers: z.array(UniversityRequiringProviderRow).nullable(),
      suspensions: z.array(Suspension).nullable(),
      only_university_id: z.int().nullable(),
    })
    .safeParse(JSON.parse(text)).success;

export const profileJsonSql = sql`(select row_to_json(own) from (select ${wireColumnsSql(profileColumns)}) as own)`;

/** Of a token, as SQL. */
type TokenPersonColumns = Record<keyof TokenPersonValues, SQL>;

/** Null for revoked tokens; inactive people get a specific error. As text, so an unchanged person is not parsed again. */
const personJsonOf = (roles: SQL, { id, token_version, needs_only_university }: TokenPersonColumns) => sql`(
  select json_build_object(
    'profile', ${profileJsonSql}, 'roles', ${roles}, 'launched_roles', ${launchedRoles}, 'own_providers', ${ownProviders},
    'suspensions', ${suspensions}, 'only_university_id', ${onlyUniversityIf(needs_only_university)})::text
  from ${users}
  where ${users.id} = ${id} and ${users.erased_at} is null
    and (${users.token_version} = ${token_version} or not ${users.is_active}))`;

/** Of the statement with these placeholders (`createVerifiedWrite`). */
export const learnerJsonSql = personJsonOf(grantedRoles, {
  id: sql`${sql.placeholder("id")}::int`,
  token_version: sql`${sql.placeholder("token_version")}::int`,
  needs_only_university: sql`${sql.placeholder("needs_only_university")}::boolean`,
});

const PersonRow = z.object({ person: z.string().refine(isPerson).nullable() });

const columnsOfGiven: TokenPersonColumns = {
  id: sql`given.id`,
  token_version: sql`given.token_version`,
  needs_only_university: sql`given.needs_only_university`,
};

/** The first query of most requests, for one or several of them. */
function createPeopleQuery(roles: SQL) {
  // JSON instead of arrays, whose lengths would make PostgreSQL plan each execution.
  const send = createPreparedRowsQuery(
    PersonRow,
    sql`
    select ${personJsonOf(roles, columnsOfGiven)} as person
    from rows from (
        json_to_recordset(${sql.placeholder("tokens")}::json) as (id int, token_version int, needs_only_university boolean))
      with ordinality as given (id, token_version, needs_only_university, place)
    order by place`,
  );
  return async (db: ReadDb, tokens: readonly TokenPersonValues[]): Promise<(string | undefined)[]> => {
    const rows = await send(db, { tokens: JSON.stringify(tokens) });
    return rows.map(({ person }) => person ?? undefined);
  };
}

const findPerson = createBatchedLookup({
  operation: "people of tokens",
  findAll: createPeopleQuery(heldRoles),
});
const findLearner = createBatchedLookup({
  operation: "learners of tokens",
  findAll: createPeopleQuery(grantedRoles),
});

export type TokenPersonValues = ReturnType<typeof tokenPersonValues>;

const tokenPersonValues = (bearer: TokenBearer) => ({
  id: bearer.id,
  token_version: bearer.token_version,
  needs_only_university: isOfUniversity(bearer),
});

export const parsePersonJson = (person: string): PersonWithRolesAndLimits => JSON.parse(person);

export type ActorLookup = {
  /** Cache key of the person. Credentials that read other fields have another key. */
  name: number | string;
  /** Anyone can invent one, so a lookup that is not cached waits for a turn. */
  isUnproven?: true;
  /** `asLearner`: complete only if the person found `isOnlyLearner`. */
  find(db: ReadDb, asLearner: boolean): Promise<string | undefined>;
  actorOf(person: PersonWithRolesAndLimits): Actor | undefined;
};

export type TokenActorLookup = ActorLookup & { values: TokenPersonValues };

export function tokenActorLookup(bearer: TokenBearer): TokenActorLookup {
  const values = tokenPersonValues(bearer);
  return {
    values,
    name: isOfUniversity(bearer) ? `university ${bearer.id}` : bearer.id,
    find: (db, asLearner) => (asLearner ? findLearner : findPerson)(db, values),
    actorOf: (person) => createActor(bearer, person),
  };
}

export async function findActor(db: ReadDb, bearer: TokenBearer): Promise<Actor | undefined> {
  const person = await findPerson(db, tokenPersonValues(bearer));
  return person === undefined ? undefined : createActor(bearer, parsePersonJson(person));
}

/** With which `findActiveActor` finds this actor again, as for a link that they made. */
export const toTokenBearer = ({ id, token_version, signed_in_at, reach }: Actor): TokenBearer => ({
  id,
  token_version,
  signed_in_at,
  reach,
});

/** Undefined if the person is inactive or the bearer's tokens are revoked. */
export async function findActiveActor(db: ReadDb, bearer: TokenBearer): Promise<Actor | undefined> {
  const actor = await findActor(db, bearer);
  return actor?.profile.is_active ? actor : undefined;
}

/** A suspension revokes tokens of that university only. Restoring the person does not revive them. */
const endsToken = (
  { university_id, is_over, began_at }: z.output<typeof Suspension>,
  { reach, signed_in_at = 0 }: TokenBearer,
): boolean => university_id === reach?.university_id && (!is_over || signed_in_at <= began_at);

export function createActor(
  bearer: TokenBearer,
  {
    profile,
    roles: held,
    launched_roles,
    own_providers,
    suspensions,
    only_university_id,
  }: PersonWithRolesAndLimits,
): Actor | undefined {
  const { reach } = bearer;
  const roles = launched_roles ? [...held, ...launched_roles] : held;
  if (suspensions?.some((one) => endsToken(one, bearer))) return undefined;
  const suspended = suspensions?.filter(({ is_over }) => !is_over) ?? [];
  const withheld = universitiesDeniedToToken(reach, roles, own_providers ?? [], suspended);
  const limits = { reach, only_university_id, withheld };
  return { ...bearer, ...limits, profile, roles: rolesInTokenReach(roles, limits) };
}

type Profile = Pick<typeof users.$inferSelect, keyof typeof profileColumns>;

export type PersonWithRolesAndLimits = {
  profile: Profile;
  roles: readonly HeldRole[];
  launched_roles?: readonly HeldRole[] | null;
  own_providers: readonly z.output<typeof UniversityRequiringProviderRow>[] | null;
  suspensions: readonly z.output<typeof Suspension>[] | null;
  only_university_id: number | null;
};

/** With the roles within the token's reach. */
export type Actor = TokenBearer &
  TokenLimits &
  Pick<PersonWithRolesAndLimits, "profile" | "roles"> & {
    key?: ActingApiKey;
  };
