import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { courses } from "../../schema/db/courses.ts";
import { questionPools } from "../../schema/db/questions.ts";
import type { Actor } from "../auth/actor.ts";
import type { Db } from "../db/client.ts";
import { valueAs } from "../db/query/rows.ts";
import { atField, badRequest } from "../errors.ts";
import type { Action } from "../rbac/policy.ts";
import { mayAt } from "../rbac/scopes.ts";

export type PoolAction = Extract<Action, `question:${string}`>;

/** Where a row of `question_pools` belongs: to its university, and with its course, where it is one's, to the department. */
export const scopeOfPool = [
  questionPools.university_id,
  sql`(select home.department_id from courses as home where home.id = ${questionPools.course_id})`,
  questionPools.course_id,
  { pool: questionPools.id },
] as const;

/** Rows of `question_pools` to which the caller may do `action`: by the pool's course, where it is one's. */
export const poolAllows = (actor: Actor, action: PoolAction): SQL => mayAt(actor, action, ...scopeOfPool);

/** The first pool from which a quiz of a row of `courses` draws and that the caller may not read; null without. */
const unreadablePool = (actor: Actor): SQL<number | null> =>
  valueAs(z.int().nullable())`(
    select min(question_pools.id)
    from content_items join content_types on content_types.id = content_type_id
    join question_pools on question_pools.id = pool_of_quiz(data_json)
    where content_items.course_id = courses.id and content_types.name = 'quiz'
      and not ${poolAllows(actor, "question:read")})`;

/** Rows of `courses` whose quizzes draw from nothing that the caller may not read: a copy names those pools anew. */
export const poolsReadable = (actor: Actor): SQL => sql`${unreadablePool(actor)} is null`;

/** Throws the 400 for a course of which that does not hold, where `permitted` lets the caller look at it. */
export async function ensurePoolsReadable(db: Db, actor: Actor, permitted: SQL | undefined): Promise<void> {
  const [course] = await db
    .select({ pool: unreadablePool(actor) })
    .from(courses)
    .where(permitted);
  if (course?.pool)
    throw badRequest("does_not_exist", atField("Content item", "question_pool_id", course.pool));
}
