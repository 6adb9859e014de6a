import { eq, or, type SQL, sql } from "drizzle-orm";
import { enrollments } from "../../schema/db/enrollments.ts";
import { userUniversityRoles } from "../../schema/db/roles.ts";
import { users } from "../../schema/db/users.ts";
import type { Actor } from "../auth/actor.ts";
import { can } from "../rbac/policy.ts";
import { mayAt } from "../rbac/scopes.ts";

/**
 * Rows of `users` that the caller may read: themselves, and for staff everyone who has a role or an enrollment in
 * their universities.
 */
export function personVisibleTo(actor: Actor): SQL {
  const hasRole = sql`exists (
    select from user_university_roles
    where user_id = ${users.id} and ${mayAt(actor, "user:read", userUniversityRoles.university_id)})`;
  const isEnrolled = sql`exists (
    select from enrollments
    where user_id = ${users.id} and ${mayAt(actor, "user:read", enrollments.university_id)})`;
  return or(seesAll(actor), eq(users.id, actor.id), hasRole, isEnrolled) ?? sql`false`;
}

/**
 * The same condition for a page of a list: it holds for at least the first `count` of those people by id. It reads
 * just so many of each university, where the condition above would look at everybody.
 */
export function firstPeopleVisibleTo(actor: Actor, count: number): SQL {
  const universities = actor.roles
    .filter((role) => can([role], "user:read", role))
    .map((role) => role.university_id);
  const firstOf = (table: SQL) => sql`
    (select distinct user_id from ${table} as known where known.university_id = at.university_id
     order by user_id limit ${count})`;
  const theirs = sql`${users.id} in (
    select ${actor.id}::int
    union
    select user_id
    from unnest(${sql.param(universities)}::int[]) as at (university_id), lateral (
      ${firstOf(sql`user_university_roles`)} union all ${firstOf(sql`enrollments`)}) as first)`;
  return or(seesAll(actor), theirs) ?? sql`false`;
}

const seesAll = (actor: Actor): SQL | undefined =>
  can(actor.roles, "user:read-all") ? sql`true` : undefined;
