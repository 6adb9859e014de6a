import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { Db, ReadDb } from "../platform/db/client.ts";
import { runWithPrecedingRead } from "../platform/db/preceding-read.ts";
import { rowsOf } from "../platform/db/query/rows.ts";
import { ReadWithOverdueWork } from "../platform/results/read-with-overdue-work.ts";
import { gradeClosedAttempts } from "./grade-closed-attempts.ts";
import type { QuizPath } from "./quizzes.ts";

/** For settling attempts in a read; the schedule does the rest. */
const settlingMs = 10_000;

export const attemptOfPersonCondition = (person: number): SQL => sql`user_id = ${person}`;
export const attemptInOfferingCondition = (offering: number): SQL => sql`course_offering_id = ${offering}`;
export const personAttemptInOfferingCondition = (person: number, offering: number): SQL =>
  sql`${attemptOfPersonCondition(person)} and ${attemptInOfferingCondition(offering)}`;
export const personAttemptAtItemCondition = (person: number, item: SQL): SQL =>
  sql`${attemptOfPersonCondition(person)} and content_item_id = ${item}`;
export const attemptAtQuizCondition = ({ offering_id, content_item_id }: QuizPath): SQL =>
  sql`${attemptInOfferingCondition(offering_id)} and content_item_id = ${content_item_id}`;
/** Attempts that drew a question of the pool. */
export const attemptFromPoolCondition = (pool: number): SQL => sql`id in (
  select quiz_attempt_id from quiz_attempt_questions join questions on questions.id = question_id
  where question_pool_id = ${pool})`;

const Unsettled = z.object({ id: z.int(), is_open: z.boolean() });

const isUnsettled = (now: Date): SQL => sql`
  (awaits_grading or submitted_at is null and due_at < ${now.toISOString()}::timestamptz - quiz_submission_grace_period())`;

/** Over and not yet graded; `among` is a condition on `quiz_attempts`. */
const unsettled = (db: ReadDb, now: Date, among: SQL) =>
  rowsOf(
    db,
    Unsettled,
    sql`select id, submitted_at is null as is_open from quiz_attempts where ${isUnsettled(now)} and ${among} order by id`,
  );

/** For a read that looks for them in its own statement. */
export const unsettledAttemptsExistCondition = (now: Date, among: SQL): SQL =>
  sql`exists (select from quiz_attempts where ${isUnsettled(now)} and ${among})`;

/** Runs ahead of the schedule, which retries and logs failures. */
export const closeAndGradeExpiredAttempts = async (db: Db, now: Date, among: SQL): Promise<void> =>
  settle(db, now, among, await unsettled(db, now, among));

async function settle(
  db: Db,
  now: Date,
  among: SQL,
  attempts: readonly z.output<typeof Unsettled>[],
): Promise<void> {
  if (attempts.length === 0) return;
  const signal = AbortSignal.timeout(settlingMs);
  for (const { id, is_open } of attempts) {
    if (signal.aborted) break;
    const closing = sql`select close_overdue_quiz_attempt(${id}, ${now.toISOString()})`;
    if (is_open) await db.execute(closing).catch(() => undefined);
  }
  await gradeClosedAttempts(db, now, among, signal).catch(() => undefined);
}

/** What a read found while these attempts were not settled. */
export const resultWithExpiredAttemptClosing = <Found>(
  found: Found,
  now: Date,
  among: SQL,
): ReadWithOverdueWork<Found, Db> =>
  new ReadWithOverdueWork(found, (writing: Db) => closeAndGradeExpiredAttempts(writing, now, among));

/**
 * Reads data that depends on these attempts. The same round trip looks for attempts to settle; if there are
 * any, it settles them and reads again.
 */
export async function readAfterClosingExpiredAttempts<Found>(
  db: ReadDb,
  now: Date,
  among: SQL,
  read: () => Promise<Found>,
): Promise<Found | ReadWithOverdueWork<Found, Db>> {
  const [waiting, found] = await runWithPrecedingRead(() => unsettled(db, now, among), read);
  if (waiting.length === 0) return found;
  return new ReadWithOverdueWork(found, (writing: Db) => settle(writing, now, among, waiting));
}
