import { sql } from "drizzle-orm";
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
 * Regrades closed attempts with the current versions of their questions, if the kind is unchanged. Skips the
 * caller's own attempts. First marks all attempts, so the schedule finishes an interrupted run. Returns 404
 * if the caller cannot see the quiz, 403 if they may not grade it.
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
      marked as materialized (
        select permitted.*, regrade_quiz(item_id, offering_id, ${actor.id})::int as attempts from permitted
      ), audited as (${auditOf(act, sql`marked`)})
      select attempts from marked`,
  );
  if (!marked) return explainQuizRefusal(db, actor, path);
  const ofQuiz = sql`${quizAttempts.content_item_id} = ${path.content_item_id}
    and ${quizAttempts.course_offering_id} = ${path.offering_id}`;
  await gradeWaiting(db, now, ofQuiz);
  return { graded: marked.attempts };
}
