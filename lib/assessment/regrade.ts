import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { QuestionThrowOut, QuizRegrade } from "../../schema/api/assessment/quiz-attempts.ts";
import { quizAttempts } from "../../schema/db/assessment/quiz-attempts.ts";
import { notFound } from "../errors.ts";
import { insertAuditEventsQuery } from "../identity/audit/record.ts";
import type { Actor } from "../identity/auth/actor.ts";
import type { Db } from "../platform/db/client.ts";
import { rowsOf } from "../platform/db/query/rows.ts";
import { gradeClosedAttempts } from "./grade-closed-attempts.ts";
import { explainQuizRefusal, permittedQuizQuery, type QuizPath } from "./quizzes.ts";

const Marked = z.object({ attempts: z.int() });

/**
 * CTEs that mark closed attempts at the quiz of the CTE `permitted`, by its current questions of the same
 * kind.
 */
export const markAttemptsForRegradeCtes = (regrader: number): SQL => sql`
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

const regraded = (actor: Actor, details: SQL) =>
  ({
    action: "quiz.regraded",
    actor: actor.id,
    university: sql`university_id`,
    details: sql`jsonb_build_object('content_item_id', item_id, 'course_offering_id', offering_id) || ${details}`,
  }) as const;

/**
 * Regrades closed attempts with current questions of the same kind, except the caller's own. First marks all,
 * so the schedule finishes an interrupted run. 404 if the quiz is hidden, 403 without the right to grade it.
 */
export async function regradeQuiz(db: Db, actor: Actor, path: QuizPath, now: Date): Promise<QuizRegrade> {
  const [marked] = await rowsOf(
    db,
    Marked,
    sql`
      with permitted as materialized (${permittedQuizQuery(actor, "attempt:grade", path)}),
      ${markAttemptsForRegradeCtes(actor.id)}, marked as materialized (
        select permitted.*, (select count(*)::int from waiting) as attempts from permitted
      ), audited as (${insertAuditEventsQuery(regraded(actor, sql`jsonb_build_object('attempts', attempts)`), sql`marked`)})
      select attempts from marked`,
  );
  if (!marked) return explainQuizRefusal(db, actor, path);
  return gradeMarked(db, path, marked, now);
}

async function gradeMarked(
  db: Db,
  { offering_id, content_item_id }: QuizPath,
  { attempts }: z.output<typeof Marked>,
  now: Date,
): Promise<QuizRegrade> {
  const ofQuiz = sql`${quizAttempts.content_item_id} = ${content_item_id}
    and ${quizAttempts.course_offering_id} = ${offering_id}`;
  await gradeClosedAttempts(db, now, ofQuiz);
  return { graded: attempts };
}

const Thrown = z.object({ is_known: z.boolean() });

/**
 * Throws a question out for everyone, or takes it back, and regrades as `regradeQuiz`. The first statement
 * waits for grades being stored: those used the former state and are marked, later ones use the new state.
 * 404 for another quiz's question.
 */
export async function throwOutOrRestoreQuestion(
  db: Db,
  actor: Actor,
  path: QuizPath & { question_id: number },
  { thrown_out, reason }: QuestionThrowOut,
  now: Date,
): Promise<QuizRegrade> {
  const { question_id } = path;
  const allowed = permittedQuizQuery(actor, "attempt:grade", path);
  const details = sql`jsonb_build_object('question_id', ${question_id}::int, 'thrown_out', ${thrown_out}::text,
    'former', (select credit from former), 'reason', ${reason}::text)`;
  const [thrown] = await rowsOf(
    db,
    Thrown,
    sql`
      with allowed as materialized (${allowed}), held as materialized (
        select lock_offering_grades(offering_id) from allowed
      ), permitted as materialized (
        select allowed.* from allowed, held where exists (${drawnOrDrawable(question_id)})
      ), former as materialized (
        select one.credit from thrown_out_questions as one, permitted where ${isThrownOut(question_id)}
      ), put as (
        insert into thrown_out_questions
          (course_offering_id, content_item_id, question_id, credit, reason, thrown_out_at)
        select offering_id, item_id, ${question_id}::int, ${thrown_out}::text, ${reason}, ${now.toISOString()}::timestamptz
        from permitted where ${thrown_out}::text is not null
        on conflict (course_offering_id, content_item_id, question_id) do update
          set credit = excluded.credit, reason = excluded.reason, thrown_out_at = excluded.thrown_out_at
      ), removed as (
        delete from thrown_out_questions as one using permitted
        where ${thrown_out}::text is null and ${isThrownOut(question_id)}
      ), audited as (${insertAuditEventsQuery(regraded(actor, details), sql`permitted`)})
      select exists (select from permitted) as is_known from allowed`,
  );
  if (!thrown) return explainQuizRefusal(db, actor, path);
  if (!thrown.is_known) throw notFound("Question");
  const [marked] = await rowsOf(
    db,
    Marked,
    sql`
      with permitted as materialized (${allowed}), ${markAttemptsForRegradeCtes(actor.id)}
      select count(*)::int as attempts from waiting`,
  );
  return gradeMarked(db, path, marked ?? { attempts: 0 }, now);
}

const isThrownOut = (question: number): SQL => sql`one.course_offering_id = permitted.offering_id
  and one.content_item_id = permitted.item_id and one.question_id = ${question}::int`;

/** For a row of `allowed`: attempts have drawn the question, or can. */
const drawnOrDrawable = (question: number): SQL => sql`
  select from quiz_attempt_questions as drawn join quiz_attempts as one on one.id = drawn.quiz_attempt_id
  where drawn.question_id = ${question}::int and one.course_offering_id = allowed.offering_id
    and one.content_item_id = allowed.item_id
  union all
  select from content_items as item join questions as asked on asked.question_pool_id = pool_of_quiz(item.data_json)
  where item.id = allowed.item_id and asked.id = ${question}::int`;
