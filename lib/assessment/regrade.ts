import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { QuizRegrade } from "../../schema/api/assessment/quiz-attempts.ts";
import { quizAttempts } from "../../schema/db/assessment/quiz-attempts.ts";
import { auditOf } from "../identity/audit/record.ts";
import type { Actor } from "../identity/auth/actor.ts";
import type { Db } from "../platform/db/client.ts";
import { rowsOf } from "../platform/db/query/rows.ts";
import { gradeWaiting } from "./grading.ts";
import { explainQuizRefusal, permittedQuiz, type QuizPath } from "./quizzes.ts";

const Marked = z.object({ attempts: z.int() });

/**
 * CTEs that mark closed attempts at the quiz of the CTE `permitted`, by its current questions of the same
 * kind.
 */
export const regradeMarked = (regrader: number): SQL => sql`
  chosen as (
    select one.id from quiz_attempts as one, permitted
    where one.content_item_id = permitted.item_id and one.course_offering_id = permitted.offering_id
      and one.submitted_at is not null and one.user_id <> ${regrader}
    order by one.id for update of one
  ), keyed as (
    update quiz_attempt_questions as drawn set graded_version = current.version
    from chosen, questions as current, question_versions as shown
    where drawn.quiz_attempt_id = chosen.id and current.id = drawn.question_id
      and shown.question_id = drawn.question_id and shown.version = drawn.version and shown.kind = current.kind
      and drawn.graded_version <> current.version
  ), waiting as (
    update quiz_attempts set awaits_grading = true from chosen
    where quiz_attempts.id = chosen.id and exists (
      select from quiz_attempt_questions where quiz_attempt_id = chosen.id)
    returning 1
  )`;

/**
 * Regrades closed attempts with current questions of the same kind, except the caller's own. First marks all,
 * so the schedule finishes an interrupted run. 404 if the quiz is hidden, 403 without the right to grade it.
 */
export async function regradeQuiz(db: Db, actor: Actor, path: QuizPath, now: Date): Promise<QuizRegrade> {
  const act = {
    action: "quiz.regraded",
    actor: actor.id,
    university: sql`university_id`,
    details: sql`jsonb_build_object('content_item_id', item_id, 'course_offering_id', offering_id, 'attempts', attempts)`,
  } as const;
  const [marked] = await rowsOf(
    db,
    Marked,
    sql`
      with permitted as materialized (${permittedQuiz(actor, "attempt:grade", path)}),
      ${regradeMarked(actor.id)}, marked as materialized (
        select permitted.*, (select count(*)::int from waiting) as attempts from permitted
      ), audited as (${auditOf(act, sql`marked`)})
      select attempts from marked`,
  );
  if (!marked) return explainQuizRefusal(db, actor, path);
  const ofQuiz = sql`${quizAttempts.content_item_id} = ${path.content_item_id}
    and ${quizAttempts.course_offering_id} = ${path.offering_id}`;
  await gradeWaiting(db, now, ofQuiz);
  return { graded: marked.attempts };
}
