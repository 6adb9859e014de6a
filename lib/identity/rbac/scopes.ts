import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import {
  can,
  type HeldRole,
  isBarredWhereEnrolled,
  type PolicyAction,
  type PolicyRule,
  policy,
} from "./policy.ts";

/** Undefined for anonymous callers. */
export type RoleHolder = { id: number; roles: readonly HeldRole[] } | undefined;

/** More precise than the course: an offering, or a question pool. */
type Part = { offering?: SQLWrapper; pool?: SQLWrapper };

/** Rows where the caller's roles allow `action`. In the `where` clause, it hides rows of other tenants. */
export function permissionCondition(
  caller: RoleHolder,
  action: PolicyAction,
  university: SQLWrapper,
  department?: SQLWrapper,
  course?: SQLWrapper,
  part?: Part,
): SQL {
  const ways = permissionConditionsByScope(caller, action, university, department, course, part);
  return ways.length > 0 ? sql`(${sql.join(ways, sql` or `)})` : sql`false`;
}

/**
 * Separate for universities, departments and courses: a list can use an index for each. A row may match
 * several.
 */
export function permissionConditionsByScope(
  caller: RoleHolder,
  action: PolicyAction,
  university: SQLWrapper,
  department?: SQLWrapper,
  course?: SQLWrapper,
  part: Part = {},
): SQL[] {
  const held = caller?.roles ?? [];
  if (!caller || held.some((role) => role.role === "platform_admin")) return caller ? [sql`true`] : [];
  const allowing = held.filter((role) => can([role], action, role));
  const ofLearners = allowing.filter((role) => isBarredWhereEnrolled(role, action));
  const free = conditionsOf(
    allowing.filter((role) => !ofLearners.includes(role)),
    action,
    [university, department, course],
    part.offering,
  );
  const bound = conditionsOf(ofLearners, action, [university, department, course], part.offering);
  if (bound.length === 0) return free;
  const isApart = apartFrom(caller.id, action, course, part);
  return [...free, ...bound.map((one) => sql`(${one} and ${isApart})`)];
}

/** A condition for each university, and one each for departments, courses and offerings. */
function conditionsOf(
  allowing: readonly HeldRole[],
  action: PolicyAction,
  [university, department, course]: [SQLWrapper, SQLWrapper | undefined, SQLWrapper | undefined],
  offering: SQLWrapper | undefined,
): SQL[] {
  const isForAll = (role: HeldRole) => can([role], action, { university_id: role.university_id });
  const universities = new Set(allowing.filter(isForAll).map((role) => role.university_id));
  const departments = allowing.flatMap((role) => (isForAll(role) ? [] : (role.department_id ?? [])));
  const taught = allowing.flatMap((role) => role.course_id ?? []);
  const launched = allowing.flatMap((role) => role.offering_id ?? []);
  const isOneOf = (column: SQLWrapper, ids: number[]) => sql`${column} = any(${sql.param(ids)}::int[])`;
  const ways = [...universities].map((id) => sql`${university} = ${id}::int`);
  // `coalesce` covers rows without a department or course. The department may be a subquery.
  if (department && departments.length > 0)
    ways.push(sql`coalesce(${isOneOf(department, departments)}, false)`);
  if (course && taught.length > 0) ways.push(sql`(${course} is not null and ${isOneOf(course, taught)})`);
  if (offering && launched.length > 0) ways.push(sql`coalesce(${isOneOf(offering, launched)}, false)`);
  return ways;
}

/** Excludes offerings, courses and pools that the person takes, read once per statement. */
function apartFrom(
  person: number,
  action: PolicyAction,
  course: SQLWrapper | undefined,
  { offering, pool }: Part,
): SQL {
  const isNoneOf = (column: SQLWrapper, own: SQL) =>
    sql`coalesce(${column} <> all(array(${own} where user_id = ${person}::int)), true)`;
  const { apartFrom: what }: PolicyRule = policy[action];
  if (what === "offering" && offering)
    return isNoneOf(offering, sql`select course_offering_id from learners`);
  const conditions = [
    course && isNoneOf(course, sql`select course_id from learners`),
    pool && isNoneOf(pool, sql`select question_pool_id from pools_of_learners`),
  ].filter((one) => one !== undefined);
  // Rows of no course are not affected.
  return conditions.length > 0 ? sql.join(conditions, sql` and `) : sql`true`;
}
