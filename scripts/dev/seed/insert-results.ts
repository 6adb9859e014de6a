import { sql } from "drizzle-orm";
import { gradeClosedAttempts } from "../../../lib/assessment/grade-closed-attempts.ts";
import type { Db } from "../../../lib/platform/db/client.ts";

const graduate = "noor@northgate.example";

/**
 * A demo user's results: a passed quiz, and a completed course with a certificate that the database issues.
 */
export async function insertResults(db: Db, now: Date): Promise<void> {
  await passQuiz(db, "Check: names", now);
  await db.execute(sql`
    select set_enrollment_status(${enrolled("CS-101")}, 'completed', false, ${now.toISOString()})`);
}

/** Takes a quiz and answers each question correctly. */
async function passQuiz(db: Db, title: string, now: Date): Promise<void> {
  const moment = now.toISOString();
  await db.execute(sql`
    select start_quiz_attempt(users.id, run.id, item.id, ${moment}, ${moment}::date)
    from users, content_items as item, course_offerings as run
    where users.email = ${graduate} and item.title = ${title} and run.course_id = item.course_id`);
  await db.execute(sql`
    select save_or_submit_quiz_answers(started.id, user_id, ${rightAnswers}, true, ${moment}, ${moment}::date)
    from quiz_attempts as started join users on users.id = user_id
    where users.email = ${graduate} and submitted_at is null`);
  await gradeClosedAttempts(db, now);
}

/** Correct answers of an attempt, for the kinds of questions in the demo. */
const rightAnswers = sql`(
  select jsonb_object_agg(questions.id, coalesce(answer_json -> 'option_id', answer_json -> 'value'))
  from questions join quiz_attempt_questions on question_id = questions.id where quiz_attempt_id = started.id)`;

const enrolled = (code: string) => sql`(
  select enrollments.id from enrollments
  join users on users.id = user_id and users.email = ${graduate}
  join course_offerings as run on run.id = course_offering_id
  join courses on courses.id = run.course_id and courses.code = ${code})`;
