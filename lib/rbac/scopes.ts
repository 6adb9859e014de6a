import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { type Action, can, type HeldRole, keepsApart, policy, type Rule } from "./policy.ts";

/** Anyone with roles; an anonymous caller is nobody with none. */
export type RoleHolder = { id: number; roles: readonly HeldRole[] } | undefined;

/** What of a university a thing belongs to further: an offering of its course, or a pool of questions. */
type Part = { offering?: SQLWrapper; pool?: SQLWrapper };

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
  part?: Part,
): SQL {
  const ways = waysAt(caller, action, university, department, course, part);
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
  part: Part = {},
): SQL[] {
  const held = caller?.roles ?? [];
  if (!caller || held.some((role) => role.role === "platform_admin")) return caller ? [sql`true`] : [];
  const allowing = held.filter((role) => can([role], action, role));
  const ofLearners = allowing.filter((role) => keepsApart(role, action));
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

/** Where these roles allow the action: a condition for each university, one for departments, for courses and for offerings. */
function conditionsOf(
  allowing: readonly HeldRole[],
  action: Action,
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
  // Neither is null where a thing has no department or no course; the first may be a subquery, the second is a column.
  if (department && departments.length > 0)
    ways.push(sql`coalesce(${isOneOf(department, departments)}, false)`);
  if (course && taught.length > 0) ways.push(sql`(${course} is not null and ${isOneOf(course, taught)})`);
  if (offering && launched.length > 0) ways.push(sql`coalesce(${isOneOf(offering, launched)}, false)`);
  return ways;
}

/**
 * Rows where the person does not learn: of other offerings, courses and pools of questions than theirs. What theirs are
 * is read once in a statement, however many rows it looks at.
 */
function apartFrom(
  person: number,
  action: Action,
  course: SQLWrapper | undefined,
  { offering, pool }: Part,
): SQL {
  const isNoneOf = (column: SQLWrapper, own: SQL) =>
    sql`coalesce(${column} <> all(array(${own} where user_id = ${person}::int)), true)`;
  const { apartFrom: what }: Rule = policy[action];
  if (what === "offering" && offering)
    return isNoneOf(offering, sql`select course_offering_id from learners`);
  const conditions = [
    course && isNoneOf(course, sql`select course_id from learners`),
    pool && isNoneOf(pool, sql`select question_pool_id from pools_of_learners`),
  ].filter((one) => one !== undefined);
  // What belongs to no course is learned in none.
  return conditions.length > 0 ? sql.join(conditions, sql` and `) : sql`true`;
}
