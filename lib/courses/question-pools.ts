import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { questionPools } from "../../schema/db/assessment/questions.ts";
import { courses } from "../../schema/db/courses/courses.ts";
import { badRequest, fieldValueMessagePlaceholders } from "../errors.ts";
import type { Actor } from "../identity/auth/actor.ts";
import type { PolicyAction } from "../identity/rbac/policy.ts";
import { permissionCondition } from "../identity/rbac/scopes.ts";
import type { Db } from "../platform/db/client.ts";
import { typedSql } from "../platform/db/query/rows.ts";

export type PoolAction = Extract<PolicyAction, `question:${string}`>;

/** The pool's university, and its course's department if any. */
export const poolScopeSqlArguments = [
  questionPools.university_id,
  sql`(select home.department_id from courses as home where home.id = ${questionPools.course_id})`,
  questionPools.course_id,
  { pool: questionPools.id },
] as const;

/** On `question_pools`, by their course if they have one. */
export const poolPermissionCondition = (actor: Actor, action: PoolAction): SQL =>
  permissionCondition(actor, action, ...poolScopeSqlArguments);

/** The first pool of a course's quizzes that the caller may not read, or null. */
const unreadablePool = (actor: Actor): SQL<number | null> =>
  typedSql(z.int().nullable())`(
    select min(question_pools.id)
    from content_items join content_types on content_types.id = content_type_id
    join question_pools on question_pools.id = pool_of_quiz(data_json)
    where content_items.course_id = courses.id and content_types.name = 'quiz'
      and not ${poolPermissionCondition(actor, "question:read")})`;

/**
 * On `courses` whose quizzes draw only from pools that the caller may read: a copy references the same pools.
 */
export const readableDrawnPoolsCondition = (actor: Actor): SQL => sql`${unreadablePool(actor)} is null`;

/** 400 if that does not hold, provided `permitted` shows the caller the course. */
export async function ensureDrawnPoolsReadable(
  db: Db,
  actor: Actor,
  permitted: SQL | undefined,
): Promise<void> {
  const [course] = await db
    .select({ pool: unreadablePool(actor) })
    .from(courses)
    .where(permitted);
  if (course?.pool)
    throw badRequest(
      "does_not_exist",
      fieldValueMessagePlaceholders("Content item", "question_pool_id", course.pool),
    );
}
