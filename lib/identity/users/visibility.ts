import { and, eq, isNull, or, type SQL, sql } from "drizzle-orm";
import { enrollments } from "../../../schema/db/courses/enrollments.ts";
import { userUniversityRoles } from "../../../schema/db/identity/roles.ts";
import { users } from "../../../schema/db/identity/users.ts";
import type { Actor } from "../auth/actor.ts";
import { can } from "../rbac/policy.ts";
import { permissionCondition } from "../rbac/scopes.ts";

/**
 * Rows of `users` that the caller may read: themselves and, for staff, people of their universities. Erased
 * accounts are hidden.
 */
export function visiblePersonCondition(actor: Actor): SQL {
  const hasRole = sql`exists (
    select from user_university_roles
    where user_id = ${users.id} and ${permissionCondition(actor, "user:read", userUniversityRoles.university_id)})`;
  const isEnrolled = sql`exists (
    select from enrollments
    where user_id = ${users.id} and ${permissionCondition(actor, "user:read", enrollments.university_id)})`;
  const isSeen = or(
    canSeeAllUsers(actor) ? sql`true` : undefined,
    eq(users.id, actor.id),
    hasRole,
    isEnrolled,
  );
  return and(isNull(users.erased_at), isSeen) ?? sql`false`;
}

export const canSeeAllUsers = (actor: Actor): boolean => can(actor.roles, "user:read-all");
