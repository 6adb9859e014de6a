import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type {
  MyQuiz,
  QuizAttempt,
  QuizAttemptDetail,
  QuizResponses,
} from "../../schema/api/assessment/quiz-attempts.ts";
import { toInstant } from "../../schema/db/platform/columns.ts";
import { AccessRefusal, accessRefusalError } from "../courses/content/item-access.ts";
import { badRequest, forbidden, notFound } from "../errors.ts";
import type { Actor } from "../identity/auth/actor.ts";
import { personIdIfOfferingInTokenReachSql } from "../identity/auth/token-reach.ts";
import {
  getOrCreateAccountHashKey,
  storeFormerAccountsReturningPersonSql,
} from "../identity/identities/former-accounts.ts";
import { dateInTimeZone } from "../identity/users/streak.ts";
import type { Db, ReadDb } from "../platform/db/client.ts";
import { rowsOf, StoredInstant } from "../platform/db/query/rows.ts";
import { retryWhileUnavailable } from "../platform/db/retry-window.ts";
import { ExistingResult } from "../platform/results/existing.ts";
import type { EncryptionSecrets } from "../platform/secrets/encryption.ts";
import { getAttempt } from "./attempts.ts";
import { gradeAndStoreClosedAttempt } from "./grade-closed-attempts.ts";
import type { QuizPath } from "./quizzes.ts";
import { StoredAttempt, toQuizAttempt, toQuizAttemptDetail } from "./stored-attempt.ts";

/*
 * Database functions start, save and submit an attempt. They return its current state or the reason of a
 * refusal.
 */

const Started = z.object({
  refusal: z
    .enum([...AccessRefusal.options, "not enrolled", "closed", "no attempt left", "no questions"])
    .nullable(),
  is_new: z.boolean(),
  attempt: StoredAttempt.nullable(),
});

const notEnrolled = () => forbidden("not_enrolled");

const startRefusals = {
  hidden: () => notFound("Quiz"),
  "enrollment required": () => accessRefusalError("enrollment required"),
  "not available yet": () => accessRefusalError("not available yet"),
  "not enrolled": () => notEnrolled(),
  closed: () => badRequest("quiz_closed"),
  "no attempt left": () => badRequest("no_quiz_attempt_left"),
  "no questions": () => badRequest("quiz_without_questions"),
};

const Standing = z.object({
  refusal: Started.shape.refusal,
  is_exam: z.boolean(),
  passing_percent: z.number(),
  time_limit_seconds: z.int().nullable(),
  closes_at: StoredInstant.nullable(),
  max_attempts: z.int().nullable(),
  attempts_taken: z.int(),
  open_attempt_id: z.int().nullable(),
});

/** Refusals of a start that are part of this response. */
const unavailable: Partial<Record<keyof typeof startRefusals, MyQuiz["unavailable"]>> = {
  closed: "CLOSED",
  "no attempt left": "NO_ATTEMPT_LEFT",
  "no questions": "NO_QUESTIONS",
};

/**
 * A person's rules, number of attempts, open attempt, and in `refusal` why they can neither start nor
 * continue one, in the words of `start_or_continue_quiz_attempt`. No row if there is no such quiz.
 */
export const quizStateForPersonQuery = (
  person: SQL,
  { offering_id, content_item_id }: QuizPath,
  now: Date,
): SQL => sql`
  select coalesce(item_access_refusal(asked.item, asked.person, asked.moment), case
           when not exists (
             select from enrollments
             where user_id = asked.person and course_offering_id = asked.offering and is_admitted
           ) then 'not enrolled'
           when open_one.id is null then refusal_to_start_quiz_attempt(
             taken.count, rules.most_attempts, rules.closes_at, rules.question_pool_id, asked.moment)
         end) as refusal,
         rules.is_exam, rules.passing_percent::float8, extract(epoch from rules.time_limit)::int as time_limit_seconds,
         rules.closes_at, rules.most_attempts as max_attempts, taken.count as attempts_taken, open_one.id as open_attempt_id
  from (
    select ${person}::int as person, ${offering_id}::int as offering, ${content_item_id}::int as item,
           ${now.toISOString()}::timestamptz as moment
  ) as asked
  cross join lateral effective_quiz_rules_of_person(asked.item, asked.offering, asked.person, asked.moment) as rules
  cross join lateral count_quiz_attempts_taken(asked.person, asked.item, asked.offering) as taken (count)
  left join lateral (
    select one.id from quiz_attempts as one
    where one.user_id = asked.person and one.course_offering_id = asked.offering and one.content_item_id = asked.item
      and one.submitted_at is null and not is_attempt_over(one, asked.moment)
  ) as open_one on true`;

/** Throws as `startAttempt`, but returns why an enrolled learner can start none. */
export async function getMyQuiz(
  db: ReadDb,
  actor: Actor,
  { offering_id, content_item_id }: QuizPath,
  now: Date,
): Promise<MyQuiz> {
  const [row] = await rowsOf(
    db,
    Standing,
    quizStateForPersonQuery(
      personIdIfOfferingInTokenReachSql(actor, offering_id),
      { offering_id, content_item_id },
      now,
    ),
  );
  if (!row) throw notFound("Quiz");
  const { refusal, closes_at, ...standing } = row;
  const reason = refusal && unavailable[refusal];
  if (refusal && !reason) throw startRefusals[refusal]();
  return {
    course_offering_id: offering_id,
    content_item_id,
    ...standing,
    closes_at: closes_at && toInstant(closes_at),
    unavailable: reason ?? null,
  };
}

/**
 * Starts the caller's next attempt, or returns the open one. 404 if they cannot see the quiz, 403 while it is
 * locked and without a seat, 400 once it is closed, without attempts left, or without questions.
 */
export async function startAttempt(
  db: Db,
  actor: Actor,
  { offering_id, content_item_id }: QuizPath,
  now: Date,
  secrets: EncryptionSecrets,
): Promise<QuizAttemptDetail | ExistingResult<QuizAttemptDetail>> {
  const person = storeFormerAccountsReturningPersonSql(
    personIdIfOfferingInTokenReachSql(actor, offering_id),
    await getOrCreateAccountHashKey(db, secrets),
  );
  const [row] = await rowsOf(
    db,
    Started,
    sql`select * from start_or_continue_quiz_attempt(
      ${person}, ${offering_id}, ${content_item_id}, ${now.toISOString()}, ${today(actor, now)})`,
  );
  if (row?.refusal) throw startRefusals[row.refusal]();
  if (!row?.attempt) throw new Error("start_or_continue_quiz_attempt returned no attempt");
  const attempt = toQuizAttemptDetail(row.attempt, false);
  return row.is_new ? attempt : new ExistingResult(attempt);
}

/** Other saved answers stay. Errors as `answerAttempt`. */
export async function saveResponses(
  db: Db,
  actor: Actor,
  attemptId: number,
  given: QuizResponses,
  now: Date,
): Promise<QuizAttempt> {
  return toQuizAttempt(await answerAttempt(db, actor, attemptId, { ...given, ends: false }, now));
}

/**
 * Closes the attempt and grades all saved answers, with these last ones. Returns a submitted attempt
 * unchanged. Errors as `answerAttempt`.
 */
export async function submitAttempt(
  db: Db,
  actor: Actor,
  attemptId: number,
  given: QuizResponses,
  now: Date,
): Promise<QuizAttemptDetail> {
  const attempt = await answerAttempt(db, actor, attemptId, { ...given, ends: true }, now);
  if (attempt.awaits_grading) await retryWhileUnavailable(() => gradeAndStoreClosedAttempt(db, attempt));
  return toQuizAttemptDetail(attempt, false);
}

const Answered = z.object({
  refusal: z.enum(["submitted", "time is up", "not enrolled", "no such answer"]).nullable(),
  question_id: z.string().nullable(),
  attempt: StoredAttempt,
});

/**
 * Adds answers to the caller's attempt. 400 once it is submitted or has expired, which grades the saved
 * answers, and for invalid answers; 404 without such an attempt, 403 for another person's, and without a
 * seat.
 */
async function answerAttempt(
  db: Db,
  actor: Actor,
  attemptId: number,
  { responses, ends }: QuizResponses & { ends: boolean },
  now: Date,
): Promise<StoredAttempt> {
  const given = Object.fromEntries(responses.map(({ question_id, response }) => [question_id, response]));
  const answer = () =>
    rowsOf(
      db,
      Answered,
      sql`select * from save_or_submit_quiz_answers(
        ${attemptId}, ${personAtAttempt(actor, attemptId)}, ${JSON.stringify(given)}::jsonb, ${ends}, ${now.toISOString()}, ${today(actor, now)})`,
    );
  const [row] = await (ends ? retryWhileUnavailable(answer) : answer());
  if (!row) {
    await getAttempt(db, actor, attemptId, now);
    throw forbidden("not_your_attempt");
  }
  switch (row.refusal) {
    case "submitted":
      throw badRequest("attempt_submitted");
    case "not enrolled":
      throw notEnrolled();
    case "no such answer":
      throw badRequest("no_such_answer", { id: row.question_id });
    case "time is up":
      await gradeAndStoreClosedAttempt(db, row.attempt);
      throw badRequest("time_is_up");
    default:
      return row.attempt;
  }
}

/** No row if the token does not reach the attempt. */
const personAtAttempt = (actor: Actor, attemptId: number): SQL =>
  personIdIfOfferingInTokenReachSql(
    actor,
    sql`(select course_offering_id from quiz_attempts where id = ${attemptId})`,
  );

/** The person's current day, which their streak counts. */
const today = (actor: Actor, now: Date): string => dateInTimeZone(actor.profile.time_zone, now);
