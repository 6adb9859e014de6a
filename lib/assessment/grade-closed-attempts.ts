import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { forEachSettled } from "../platform/async/for-each-settled.ts";
import type { Db, ReadDb } from "../platform/db/client.ts";
import { rowsOf } from "../platform/db/query/rows.ts";
import { type CalculatedGrade, calculateAttemptGrade } from "./grade-attempt.ts";
import { StoredAttempt } from "./stored-attempt.ts";

const Waiting = z.object({ attempt: StoredAttempt });
const Count = z.object({ count: z.number() });

/** Attempts per read, some 100 KB each. */
const batch = 20;

/**
 * Stores a closed attempt's grade, unless it was graded or its keys changed since it was read. One at a time:
 * a grade may complete an enrollment. Returns the number stored.
 */
export async function gradeAndStoreClosedAttempt(db: Db, attempt: StoredAttempt): Promise<number> {
  const grades = JSON.stringify([attemptGrade(attempt)]);
  const statement = sql`select store_quiz_grades(${grades}::jsonb) as count`;
  const [stored] = await rowsOf(db, Count, statement);
  return stored?.count ?? 0;
}

/** As `store_quiz_grades` takes it. */
export type AttemptGrade = CalculatedGrade & { attempt_id: number };

const attemptGrade = (attempt: StoredAttempt): AttemptGrade => ({
  attempt_id: attempt.id,
  ...calculateAttemptGrade(attempt),
});

const isWaiting = sql`awaits_grading`;

/**
 * Grades waiting closed attempts that meet the condition on `quiz_attempts`, until the signal. A failure does
 * not stop the others; rejects at the end with all failures.
 */
export async function gradeClosedAttempts(
  db: Db,
  now: Date,
  among: SQL = sql`true`,
  signal?: AbortSignal,
): Promise<number> {
  let graded = 0;
  const waiting = iterateAttemptsWithKeys(db, now, sql`${isWaiting} and ${among}`, signal);
  await forEachSettled(waiting, async (attempt) => {
    graded += await gradeAndStoreClosedAttempt(db, attempt);
  });
  return graded;
}

/**
 * The grades that these attempts, and expired open ones, would have. Omits attempts that cannot be graded.
 */
export async function calculatePendingGrades(
  db: Db,
  now: Date,
  among: SQL,
  signal: AbortSignal,
): Promise<AttemptGrade[]> {
  const grades: AttemptGrade[] = [];
  const isOpenAndOver = sql`submitted_at is null and is_attempt_over(quiz_attempts, ${now.toISOString()})`;
  const waiting = iterateAttemptsWithKeys(
    db,
    now,
    sql`(${isWaiting} or ${isOpenAndOver}) and ${among}`,
    signal,
  );
  await forEachSettled(waiting, async (attempt) => {
    grades.push(attemptGrade(attempt));
  }).catch(() => undefined);
  return grades;
}

/** Attempts that meet the condition on `quiz_attempts`, with keys, in batches. */
export async function* iterateAttemptsWithKeys(
  db: ReadDb,
  now: Date,
  which: SQL,
  signal?: AbortSignal,
): AsyncGenerator<StoredAttempt> {
  let last = 0;
  for (;;) {
    const found = await rowsOf(
      db,
      Waiting,
      sql`
        select quiz_attempt_json_with_answer_keys(quiz_attempts, ${now.toISOString()}) as attempt
        from quiz_attempts where id > ${last} and ${which} order by id limit ${batch}`,
    );
    for (const { attempt } of found) {
      if (signal?.aborted) return;
      yield attempt;
    }
    if (found.length < batch) return;
    last = found.at(-1)?.attempt.id ?? last;
  }
}

const NextDue = z.object({ due: z.number().nullable() });

/** The next open attempt's end; undefined for none. */
export async function nextAttemptDeadline(db: Db): Promise<Date | undefined> {
  const statement = sql`
    select (extract(epoch from min(due_at) + quiz_submission_grace_period()) * 1000)::float8 as due
    from quiz_attempts where submitted_at is null`;
  const [next] = await rowsOf(db, NextDue, statement);
  return next?.due == null ? undefined : new Date(next.due);
}

/** Skips locked attempts, whose writers close them. */
export const closeOverdueAttemptsQuery = (now: Date, most: number): SQL => sql`
  with over as (
    select id from quiz_attempts as one
    where submitted_at is null and due_at < ${now.toISOString()}::timestamptz - quiz_submission_grace_period()
    order by due_at limit ${most} for update skip locked
  ), closed as (
    select close_overdue_quiz_attempt(id, ${now.toISOString()}::timestamptz) from over
  )
  select count(*)::int as count from closed`;

/** Closes expired attempts and grades all waiting ones until the signal. */
export async function closeAndGradeDueAttempts(
  { db, now }: { db: Db; now: () => Date },
  signal: AbortSignal,
): Promise<{ closed: number; graded: number }> {
  const most = 1;
  let closed = 0;
  for (let last = most; last === most && !signal.aborted; closed += last) {
    const [found] = await rowsOf(db, Count, closeOverdueAttemptsQuery(now(), most));
    last = found?.count ?? 0;
  }
  return { closed, graded: await gradeClosedAttempts(db, now(), undefined, signal) };
}
