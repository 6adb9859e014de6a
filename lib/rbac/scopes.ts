import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { type Action, can, type HeldRole } from "./policy.ts";

/** Anyone with roles; an anonymous caller is nobody with none. */
export type RoleHolder = { roles: readonly HeldRole[] } | undefined;

/**
 * The policy as a condition of SQL: true for rows at whose university, department or course the caller's roles
 * allow `action`. With it the tenant stands in the `where` clause, and a row of another's is simply not there.
 */
export function mayAt(
  caller: RoleHolder,
  action: Action,
  university: SQLWrapper,
  department: SQLWrapper = sql`null::int`,
  course?: SQLWrapper,
): SQL {
  const held = caller?.roles ?? [];
  if (held.some((role) => role.role === "platform_admin")) return sql`true`;
  const allowing = held.filter((role) => can([role], action, role));
  if (allowing.length === 0) return sql`false`;
  const isForAll = (role: HeldRole) => can([role], action, { university_id: role.university_id });
  const universities = allowing.filter(isForAll).map((role) => role.university_id);
  const departments = allowing.flatMap((role) => (isForAll(role) ? [] : (role.department_id ?? [])));
  const taught = allowing.flatMap((role) => role.course_id ?? []);
  const isTaught = course && taught.length > 0 ? sql`or ${course} = any(${sql.param(taught)}::int[])` : sql``;
  return sql`(${university} = any(${sql.param(universities)}::int[])
    or coalesce(${department} = any(${sql.param(departments)}::int[]), false) ${isTaught})`;
}
