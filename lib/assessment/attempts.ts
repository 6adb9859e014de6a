import { and, eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import * as z from "zod";
import type {
  MyQuizAttemptsQuery,
  QuizAttempt,
  QuizAttemptDetail,
  QuizAttemptOfPerson,
  QuizAttemptsQuery,
} from "../../schema/api/assessment/quiz-attempts.ts";
import { quizAttempts } from "../../schema/db/assessment/quiz-attempts.ts";
import { courses } from "../../schema/db/courses/courses.ts";
import { nameOnRecord, searchedOnRecord, users } from "../../schema/db/identity/users.ts";
import { momentForm } from "../../schema/db/platform/columns.ts";
import { coursePermissionCondition, offeringPermissionCondition } from "../courses/course-permissions.ts";
import { notFound } from "../errors.ts";
import type { Actor } from "../identity/auth/actor.ts";
import { offeringInTokenReachCondition, tokenReachCondition } from "../identity/auth/token-reach.ts";
import type { Db, ReadDb } from "../platform/db/client.ts";
import { queryJsonPage, queryJsonPageOfOwner } from "../platform/db/query/json-rows.ts";
import { createPageQuery, descending } from "../platform/db/query/page.ts";
import { rowsOf } from "../platform/db/query/rows.ts";
import {
  containsAllWordsCondition,
  searchAndSortBy,
  sortKeysForParameter,
} from "../platform/db/query/search-and-sort.ts";
import type { JsonListPage } from "../platform/results/json-list-page.ts";
import type { ReadWithOverdueWork } from "../platform/results/read-with-overdue-work.ts";
import {
  anonymizedSubmittedAtSql,
  anonymousCodeSql,
  anonymousGradingCondition,
  nameOrAnonymousCodeCondition,
  nonAnonymousGradingCondition,
  nullIfAnonymousSql,
  nullUnlessAnonymousSql,
} from "./anonymous-grading.ts";
import { resultWithExpiredAttemptClosing } from "./close-expired-attempts.ts";
import { explainQuizRefusal, permittedQuizQuery, type QuizPath } from "./quizzes.ts";
import { StoredAttempt, toQuizAttemptDetail } from "./stored-attempt.ts";

const work = {
  offering: quizAttempts.course_offering_id,
  item: quizAttempts.content_item_id,
  person: quizAttempts.user_id,
};

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

/** Named like the table: an expired attempt counts as closed at that moment, even if its row is open. */
function closedWhenOver(now: Date): SQL {
  const { submitted_at, timed_out, ...others } = columns;
  const isOver = sql`(${submitted_at} is null and is_attempt_over(quiz_attempts, ${now.toISOString()}))`;
  const selected = sql.join(
    [
      ...Object.values(others).map((column) => sql`${column}`),
      sql`case when ${isOver} then ${columns.due_at} else ${submitted_at} end as submitted_at`,
      sql`${timed_out} or ${isOver} as timed_out`,
    ],
    sql`, `,
  );
  return sql`(select ${selected} from quiz_attempts) as quiz_attempts`;
}

const columnsForOwner = { ...columns, code: anonymousCodeSql(work) };

/** Newest first. */
export async function listMyAttempts(
  db: ReadDb,
  actor: Actor,
  { course_offering_id, content_item_id, ...window }: MyQuizAttemptsQuery,
  now: Date,
): Promise<JsonListPage<QuizAttempt>> {
  const mine = and(
    eq(quizAttempts.user_id, actor.id),
    offeringInTokenReachCondition(actor, quizAttempts.course_offering_id),
    course_offering_id ? eq(quizAttempts.course_offering_id, course_offering_id) : undefined,
    content_item_id ? eq(quizAttempts.content_item_id, content_item_id) : undefined,
  );
  const page = createPageQuery(window, [descending(quizAttempts.started_at), descending(quizAttempts.id)]);
  return queryJsonPage(db, page.rows(columnsForOwner, closedWhenOver(now), mine));
}

/** Hidden people sort by their code. */
const { sorts } = searchAndSortBy(
  sql`case when ${anonymousGradingCondition(work)} then ${anonymousCodeSql(work)} else ${searchedOnRecord} end`,
  "full_name",
);

/** As staff see them; `closed` is the actual or the planned closing time. */
const momentsShown = (closed: SQLWrapper) => ({
  started_at: momentForm(anonymizedSubmittedAtSql(work, quizAttempts.started_at)),
  saved_at: momentForm(anonymizedSubmittedAtSql(work, quizAttempts.saved_at)),
  submitted_at: momentForm(anonymizedSubmittedAtSql(work, closed)),
});

/** An individual due date would identify the person. */
const named = {
  ...momentsShown(quizAttempts.submitted_at),
  user_id: nullIfAnonymousSql(work, quizAttempts.user_id),
  due_at: nullIfAnonymousSql(work, momentForm(quizAttempts.due_at)),
  full_name: nullIfAnonymousSql(work, nameOnRecord),
  code: anonymousCodeSql(work),
};

const columnsForStaff = { ...columns, ...named };

/** 404 if the caller cannot see the offering, 403 if they are not its staff. */
export async function listAttempts(
  db: ReadDb,
  actor: Actor,
  path: QuizPath,
  { q, user_id, sort, ...window }: QuizAttemptsQuery,
  now: Date,
): Promise<JsonListPage<QuizAttemptOfPerson>> {
  const page = createPageQuery(window, sortKeysForParameter(sort, sorts, quizAttempts.id));
  const ofQuiz = and(
    sql`${quizAttempts.course_offering_id} = permitted.offering_id`,
    sql`${quizAttempts.content_item_id} = permitted.item_id`,
    nameOrAnonymousCodeCondition(work, containsAllWordsCondition(searchedOnRecord, q), q),
    user_id ? and(eq(quizAttempts.user_id, user_id), nonAnonymousGradingCondition(work)) : undefined,
  );
  const listed = await queryJsonPageOfOwner<QuizAttemptOfPerson>(
    db,
    sql`(${permittedQuizQuery(actor, "attempt:read", path)}) as permitted`,
    page.rows(
      columnsForStaff,
      sql`${closedWhenOver(now)} join users on ${users.id} = ${quizAttempts.user_id}`,
      ofQuiz,
    ),
  );
  return listed ?? explainQuizRefusal(db, actor, path);
}

const Row = z.object({
  attempt: StoredAttempt,
  reads_keys: z.boolean(),
  /** For readers who see a code; null if the work is not anonymous. */
  hidden: z
    .object({
      started_at: z.string(),
      saved_at: z.string().nullable(),
      submitted_at: z.string().nullable(),
    })
    .nullable(),
});

const poolOfAttempt = sql`(
  select question_pool_id from quiz_attempt_questions join questions on questions.id = question_id
  where quiz_attempt_id = quiz_attempts.id limit 1)`;

/**
 * For its taker and the offering's staff; 404 for others. Has correct answers if the caller may read keys in
 * the course and in the questions' pool. An expired attempt shows its future grade, and is then settled.
 */
export async function getAttempt(
  db: ReadDb,
  actor: Actor,
  attemptId: number,
  now: Date,
): Promise<QuizAttemptDetail | ReadWithOverdueWork<QuizAttemptDetail, Db>> {
  const isStaff = offeringPermissionCondition(actor, "attempt:read");
  const isOwn = and(
    eq(quizAttempts.user_id, actor.id),
    tokenReachCondition(actor, courses.university_id, { offering: sql`course_offerings.id` }),
  );
  const shown = momentsShown(sql`coalesce(${quizAttempts.submitted_at}, ${quizAttempts.due_at})`);
  const moments = sql`json_build_object(
    'started_at', ${shown.started_at}, 'saved_at', ${shown.saved_at}, 'submitted_at', ${shown.submitted_at})`;
  const readsKeys = sql`(${isStaff} and ${coursePermissionCondition(actor, "key:read", courses, { pool: poolOfAttempt })})`;
  const [row] = await rowsOf(
    db,
    Row,
    sql`
      select quiz_attempt_json_with_answer_keys(quiz_attempts, ${now.toISOString()}) as attempt, ${readsKeys} as reads_keys,
             ${nullUnlessAnonymousSql(work, moments)} as hidden
      from quiz_attempts
      join course_offerings on course_offerings.id = quiz_attempts.course_offering_id
      join courses on courses.id = course_offerings.course_id
      where quiz_attempts.id = ${attemptId} and (${isOwn} or ${isStaff})`,
  );
  if (!row) throw notFound("Quiz attempt");
  const found = attemptForReader(actor, row);
  const { awaits_grading, is_over, submitted_at } = row.attempt;
  const isSettled = !awaits_grading && (submitted_at !== null || !is_over);
  return isSettled ? found : resultWithExpiredAttemptClosing(found, now, sql`id = ${attemptId}`);
}

function attemptForReader(
  actor: Actor,
  { attempt: stored, reads_keys, hidden }: z.output<typeof Row>,
): QuizAttemptDetail {
  const attempt = toQuizAttemptDetail(stored, reads_keys);
  if (hidden === null || attempt.user_id === actor.id) return attempt;
  const submitted_at = attempt.submitted_at && hidden.submitted_at;
  return { ...attempt, ...hidden, submitted_at, user_id: null, due_at: null };
}
