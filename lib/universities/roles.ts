import { and, asc, eq, ne, sql } from "drizzle-orm";
import type { Pagination } from "../../schema/api/fields.ts";
import type { Role, RoleGrant } from "../../schema/api/roles.ts";
import { userUniversityRoles } from "../../schema/db/roles.ts";
import type { Actor } from "../auth/actor.ts";
import type { Db } from "../db/client.ts";
import { badRequest, forbidden, notFound } from "../errors.ts";
import { type Action, can } from "../rbac/policy.ts";
import { ensureIn, getUniversity, throwMissingUniversity } from "./universities.ts";

const columns = {
  id: userUniversityRoles.id,
  user_id: userUniversityRoles.user_id,
  email: sql<string>`(select email from users where users.id = user_university_roles.user_id)`,
  full_name: sql<string>`(select full_name from users where users.id = user_university_roles.user_id)`,
  university_id: userUniversityRoles.university_id,
  role: userUniversityRoles.role,
  department_id: userUniversityRoles.department_id,
  created_at: userUniversityRoles.created_at,
};

/** The roles held in a university, by id; 404 when there is none, 403 to all but those who administer it. */
export async function listRoles(
  db: Db,
  actor: Actor,
  universityId: number,
  { skip, limit }: Pagination,
): Promise<Role[]> {
  await ensureIn(db, actor, "role:read", universityId);
  const found = await db
    .select(columns)
    .from(userUniversityRoles)
    .where(eq(userUniversityRoles.university_id, universityId))
    .orderBy(asc(userUniversityRoles.id))
    .offset(skip)
    .limit(limit);
  if (found.length === 0) await getUniversity(db, universityId);
  return found;
}

/** Grants a role in the actor's name: nobody grants a role above their own. Refuses as `assignRole` does. */
export async function grantRole(db: Db, actor: Actor, universityId: number, grant: RoleGrant): Promise<Role> {
  await ensureIn(db, actor, actionFor(grant.role), universityId);
  return assignRole(db, { ...grant, university_id: universityId });
}

/**
 * Gives someone a role in a university, in nobody's name. 400 when they hold it there already, when there is no
 * such person, or when the department is not one of that university; 404 when there is no such university.
 */
export async function assignRole(db: Db, grant: RoleGrant & { university_id: number }): Promise<Role> {
  const [role] = await db
    .insert(userUniversityRoles)
    .values(grant)
    .onConflictDoNothing()
    .returning(columns)
    .catch(throwMissingUniversity);
  if (!role) throw badRequest(`Role '${grant.role}' is already held by user_id '${grant.user_id}'`);
  return role;
}

/** Takes a role back; 404 when nobody holds it in that university, 403 when it is above the actor's own. */
export async function revokeRole(db: Db, actor: Actor, universityId: number, roleId: number): Promise<void> {
  await ensureIn(db, actor, "role:grant", universityId);
  const role = and(eq(userUniversityRoles.id, roleId), eq(userUniversityRoles.university_id, universityId));
  const revocable = can(actor.roles, actionFor("PLATFORM_ADMIN"))
    ? undefined
    : ne(userUniversityRoles.role, "PLATFORM_ADMIN");
  const revoked = await db
    .delete(userUniversityRoles)
    .where(and(role, revocable))
    .returning({ id: userUniversityRoles.id });
  if (revoked.length > 0) return;

  const [held] = await db.select({ id: userUniversityRoles.id }).from(userUniversityRoles).where(role);
  if (held) throw forbidden();
  await getUniversity(db, universityId);
  throw notFound("Role");
}

/** The right that it takes to grant or revoke a role: university_admins rank above all roles but one. */
const actionFor = (role: RoleGrant["role"]): Action =>
  role === "PLATFORM_ADMIN" ? "role:grant-platform-admin" : "role:grant";
