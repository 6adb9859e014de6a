import { getTableColumns, sql } from "drizzle-orm";
import type { Pagination } from "../../schema/api/fields.ts";
import type { QuizOverride, QuizOverrideUpdate } from "../../schema/api/quiz-attempts.ts";
import { quizOverrides } from "../../schema/db/quiz-attempts.ts";
import { auditOf } from "../audit/record.ts";
import type { Actor } from "../auth/actor.ts";
import type { Db } from "../db/client.ts";
import { jsonListIn, wireColumns } from "../db/json-rows.ts";
import { storedRowsOf } from "../db/rows.ts";
import { notFound } from "../errors.ts";
import type { JsonList } from "../json-list.ts";
import { type QuizPath, reachedQuiz, refuseQuiz } from "./quizzes.ts";

const columns = getTableColumns(quizOverrides);

/** What people are granted in a quiz, by person; 404 when the caller cannot see it, 403 when they are not its staff. */
export async function listOverrides(
  db: Db,
  actor: Actor,
  path: QuizPath,
  { skip, limit }: Pagination,
): Promise<JsonList<QuizOverride>> {
  const { course_offering_id, content_item_id, user_id } = quizOverrides;
  const listed = await jsonListIn<QuizOverride>(
    db,
    sql`(${reachedQuiz(actor, "attempt:grade", path)}) as reached`,
    sql`
      select ${wireColumns(columns)} from quiz_overrides
      where ${course_offering_id} = reached.offering_id and ${content_item_id} = reached.item_id
      order by ${user_id} offset ${skip} limit ${limit}`,
  );
  return listed ?? refuseQuiz(db, actor, path);
}

/**
 * Grants someone who is or was enrolled more time, more attempts or another date; null for what the quiz says, and what
 * is absent stays. An attempt that is open gets its deadline by it. 404 for anyone else, and as `listOverrides`.
 */
export async function grantOverride(
  db: Db,
  actor: Actor,
  { user_id, ...path }: QuizPath & { user_id: number },
  change: QuizOverrideUpdate,
  now: Date,
): Promise<QuizOverride> {
  const { time_limit_seconds, max_attempts, due_at } = change;
  const granted = JSON.stringify({ time_limit_seconds, max_attempts, due_at });
  const act = {
    action: "quiz.override_granted",
    actor: actor.id,
    subject: user_id,
    university: sql`university_id`,
    details: sql`jsonb_build_object('content_item_id', content_item_id, 'course_offering_id', course_offering_id)`,
  } as const;
  const [row] = await storedRowsOf(
    db,
    columns,
    sql`
      with reached as materialized (${reachedQuiz(actor, "attempt:grade", path)}),
      granted as materialized (
        select reached.university_id, one.*
        from reached cross join lateral grant_quiz_override(
          ${user_id}, reached.offering_id, reached.item_id, ${granted}::jsonb, ${now.toISOString()}) as one
      ), audited as (${auditOf(act, sql`granted`)})
      select granted.* from granted`,
  );
  return row ?? refuseGrant(db, actor, path);
}

/** Why nobody was granted anything: 404 and 403 as for the quiz, else the person is not enrolled there. */
async function refuseGrant(db: Db, actor: Actor, path: QuizPath): Promise<never> {
  const { rows } = await db.execute(reachedQuiz(actor, "attempt:grade", path));
  if (rows.length === 0) return refuseQuiz(db, actor, path);
  throw notFound("Enrollment");
}
