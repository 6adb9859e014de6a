import { sql } from "drizzle-orm";
import { gradeClosedAttempts } from "../../../lib/assessment/grade-closed-attempts.ts";
import type { Db } from "../../../lib/platform/db/client.ts";
import { daysBefore, withClock } from "./clock.ts";

const graduate = "noor@northgate.example";

/** Letters of the classmates' answers: `r` is right, `w` is wrong. One classmate each. */
const attempts: Record<string, readonly string[]> = {
  "Check: names": ["rrr", "rrr", "rwr", "rrw", "wwr", "rrr", "rwr", "rrr", "wrr", "www", "rrr", "rrw"],
  "Check: time shifts": ["rrr", "wrr", "rrr", "rww", "rrr", "wwr", "rwr", "rrr", "rrw", "rrr"],
};

/**
 * A demo user's results: a passed quiz, and a completed course with a certificate that the database issues.
 */
export async function insertResults(db: Db, now: Date): Promise<void> {
  await takeQuiz(db, "Check: names", graduate, "rrr", now);
  await db.execute(sql`
    select set_enrollment_status_and_fill_seat(${enrolled("CS-101")}, 'completed', false, ${now.toISOString()})`);
}

/** The class's attempts, some weeks before. Each classmate also had the chance to study before. */
export async function insertAttempts(db: Db, classmates: readonly string[], now: Date): Promise<void> {
  await withClock(db, async (tx, setClock) => {
    for (const [number, [quiz, answers]] of Object.entries(attempts).entries())
      for (const [at, marks] of answers.entries()) {
        const moment = daysBefore(now, 3 + ((at * 5 + number * 2) % 40));
        await setClock(moment);
        await takeQuiz(tx, quiz, classmates[at] ?? "", marks, moment);
      }
  });
}

/** Takes a quiz: a letter for each question, in their order. */
async function takeQuiz(db: Db, title: string, email: string, marks: string, now: Date): Promise<void> {
  const moment = now.toISOString();
  await db.execute(sql`
    select start_or_continue_quiz_attempt(users.id, run.id, item.id, ${moment}, ${moment}::date)
    from users, content_items as item, course_offerings as run
    where users.email = ${email} and item.title = ${title} and run.course_id = item.course_id`);
  await db.execute(sql`
    select save_or_submit_quiz_answers(started.id, user_id, ${answersMarked(marks)}, true, ${moment}, ${moment}::date)
    from quiz_attempts as started join users on users.id = user_id
    where users.email = ${email} and submitted_at is null`);
  await gradeClosedAttempts(db, now);
}

/** Right or wrong answers of an attempt, for the kinds of questions in the demo. */
const answersMarked = (marks: string) => sql`(
  select jsonb_object_agg(
    asked.id,
    case
      when substr(${marks}, asked.position::integer, 1) = 'r' then coalesce(answer_json -> 'option_id', answer_json -> 'value')
      when kind = 'true_false' then to_jsonb(not (answer_json ->> 'value')::boolean)
      else (
        select option -> 'id' from jsonb_array_elements(options_json) as option
        where option ->> 'id' <> answer_json ->> 'option_id' limit 1)
    end)
  from (
    select questions.*, row_number() over (order by questions.id) as position
    from questions join quiz_attempt_questions on question_id = questions.id where quiz_attempt_id = started.id
  ) as asked)`;

const enrolled = (code: string) => sql`(
  select enrollments.id from enrollments
  join users on users.id = user_id and users.email = ${graduate}
  join course_offerings as run on run.id = course_offering_id
  join courses on courses.id = run.course_id and courses.code = ${code})`;
