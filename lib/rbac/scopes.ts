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
  department?: SQLWrapper,
  course?: SQLWrapper,
): SQL {
  const ways = waysAt(caller, action, university, department, course);
  return ways.length > 0 ? sql`(${sql.join(ways, sql` or `)})` : sql`false`;
}

/**
 * The same as one condition for each of the universities, for all departments and for all courses: a list reads the
 * first rows of each by an index. A row may be allowed in several ways.
 */
export function waysAt(
  caller: RoleHolder,
  action: Action,
  university: SQLWrapper,
  department?: SQLWrapper,
  course?: SQLWrapper,
): SQL[] {
  const held = caller?.roles ?? [];
  if (held.some((role) => role.role === "platform_admin")) return [sql`true`];
  const allowing = held.filter((role) => can([role], action, role));
  const isForAll = (role: HeldRole) => can([role], action, { university_id: role.university_id });
  const universities = new Set(allowing.filter(isForAll).map((role) => role.university_id));
  const departments = allowing.flatMap((role) => (isForAll(role) ? [] : (role.department_id ?? [])));
  const taught = allowing.flatMap((role) => role.course_id ?? []);
  const isOneOf = (place: SQLWrapper, ids: number[]) => sql`${place} = any(${sql.param(ids)}::int[])`;
  const ways = [...universities].map((id) => sql`${university} = ${id}::int`);
  // Neither is null where a thing has no department or no course; the first may be a subquery, the second is a column.
  if (department && departments.length > 0)
    ways.push(sql`coalesce(${isOneOf(department, departments)}, false)`);
  if (course && taught.length > 0) ways.push(sql`(${course} is not null and ${isOneOf(course, taught)})`);
  return ways;
}
