import { eq, or, type SQL, sql } from "drizzle-orm";
import { courseOfferings } from "../../schema/db/offerings.ts";
import { userUniversityRoles } from "../../schema/db/roles.ts";
import { users } from "../../schema/db/users.ts";
import type { Actor } from "../auth/actor.ts";
import { mayAt } from "../rbac/places.ts";
import { can } from "../rbac/policy.ts";

/**
 * Rows of `users` that the caller may read: themselves, and for staff everyone who has a role or an enrollment in
 * their universities.
 */
export function personVisibleTo(actor: Actor): SQL {
  if (can(actor.roles, "user:read-all")) return sql`true`;
  const hasRole = sql`exists (
    select from user_university_roles
    where user_id = ${users.id} and ${mayAt(actor, "user:read", userUniversityRoles.university_id)})`;
  const isEnrolled = sql`exists (
    select from enrollments join course_offerings on course_offerings.id = course_offering_id
    where user_id = ${users.id} and ${mayAt(actor, "user:read", courseOfferings.university_id)})`;
  return or(eq(users.id, actor.id), hasRole, isEnrolled) ?? sql`false`;
}
