import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type {
  MyQuizAttemptsQuery,
  QuizAttempt,
  QuizAttemptDetail,
  QuizAttemptOfPerson,
  QuizAttemptsQuery,
} from "../../schema/api/quiz-attempts.ts";
import { quizAttempts } from "../../schema/db/quiz-attempts.ts";
import { users } from "../../schema/db/users.ts";
import type { Actor } from "../auth/actor.ts";
import { courseAllows } from "../courses/visibility.ts";
import type { Db } from "../db/client.ts";
import { jsonListIn, jsonListOf, wireColumns } from "../db/json-rows.ts";
import { rowsOf } from "../db/rows.ts";
import { notFound } from "../errors.ts";
import type { JsonList } from "../json-list.ts";
import { type QuizPath, reachedQuiz, refuseQuiz } from "./quizzes.ts";
import { attemptDetailOf, StoredAttempt } from "./stored-attempt.ts";

const columns = {
  id: quizAttempts.id,
  user_id: quizAttempts.user_id,
  course_offering_id: quizAttempts.course_offering_id,
  content_item_id: quizAttempts.content_item_id,
  attempt_number: quizAttempts.attempt_number,
  is_exam: quizAttempts.is_exam,
  started_at: quizAttempts.started_at,
  due_at: quizAttempts.due_at,
  saved_at: quizAttempts.saved_at,
  submitted_at: quizAttempts.submitted_at,
  timed_out: quizAttempts.timed_out,
  score_obtained: quizAttempts.score_obtained,
  max_score: quizAttempts.max_score,
  passed: quizAttempts.passed,
};

/** Attempts, as a table of that name in which one whose time is up is closed then, whether someone has closed it or not. */
function closedWhenOver(now: Date, which: SQL): SQL {
  const { submitted_at, timed_out, ...others } = columns;
  const isOver = sql`(${submitted_at} is null and is_over(quiz_attempts, ${now.toISOString()}))`;
  const selected = sql.join(
    [
      ...Object.values(others).map((column) => sql`${column}`),
      sql`case when ${isOver} then ${columns.due_at} else ${submitted_at} end as submitted_at`,
      sql`${timed_out} or ${isOver} as timed_out`,
    ],
    sql`, `,
  );
  return sql`(select ${selected} from quiz_attempts ${which}) as quiz_attempts`;
}

/** The caller's own attempts, newest first; in one offering or at one quiz when they are named. */
export async function listMyAttempts(
  db: Db,
  actor: Actor,
  { course_offering_id, content_item_id, skip, limit }: MyQuizAttemptsQuery,
  now: Date,
): Promise<JsonList<QuizAttempt>> {
  const inOffering = course_offering_id
    ? sql`and ${quizAttempts.course_offering_id} = ${course_offering_id}`
    : sql``;
  const atQuiz = content_item_id ? sql`and ${quizAttempts.content_item_id} = ${content_item_id}` : sql``;
  const mine = sql`
    where ${quizAttempts.user_id} = ${actor.id} ${inOffering} ${atQuiz}
    order by ${quizAttempts.id} desc offset ${skip} limit ${limit}`;
  return jsonListOf(
    db,
    sql`select ${wireColumns(columns)} from ${closedWhenOver(now, mine)} order by ${quizAttempts.id} desc`,
  );
}

/** The attempts at a quiz in an offering, by id; 404 when the caller cannot see it, 403 when they are not its staff. */
export async function listAttempts(
  db: Db,
  actor: Actor,
  path: QuizPath,
  { user_id, skip, limit }: QuizAttemptsQuery,
  now: Date,
): Promise<JsonList<QuizAttemptOfPerson>> {
  const ofPerson = user_id ? sql`and ${quizAttempts.user_id} = ${user_id}` : sql``;
  const ofQuiz = sql`
    where ${quizAttempts.course_offering_id} = reached.offering_id
      and ${quizAttempts.content_item_id} = reached.item_id ${ofPerson}
    order by ${quizAttempts.id} offset ${skip} limit ${limit}`;
  const listed = await jsonListIn<QuizAttemptOfPerson>(
    db,
    sql`(${reachedQuiz(actor, "attempt:read", path)}) as reached`,
    sql`
      select ${wireColumns({ ...columns, full_name: users.full_name })}
      from ${closedWhenOver(now, ofQuiz)} join users on ${users.id} = ${quizAttempts.user_id}
      order by ${quizAttempts.id}`,
  );
  return listed ?? refuseQuiz(db, actor, path);
}

const Row = z.object({ attempt: StoredAttempt, is_staff: z.boolean() });

/**
 * An attempt with its questions, for its taker and the staff of its course; else 404. One whose time is up shows the
 * grade that it will have.
 */
export async function getAttempt(
  db: Db,
  actor: Actor,
  attemptId: number,
  now: Date,
): Promise<QuizAttemptDetail> {
  const isStaff = courseAllows(actor, "attempt:read");
  const [row] = await rowsOf(
    db,
    Row,
    sql`
      select quiz_attempt_with_keys(quiz_attempts, ${now.toISOString()}) as attempt, ${isStaff} as is_staff
      from quiz_attempts
      join course_offerings on course_offerings.id = quiz_attempts.course_offering_id
      join courses on courses.id = course_offerings.course_id
      where quiz_attempts.id = ${attemptId} and (${quizAttempts.user_id} = ${actor.id} or ${isStaff})`,
  );
  if (!row) throw notFound("Quiz attempt");
  return attemptDetailOf(row.attempt, row.is_staff);
}
