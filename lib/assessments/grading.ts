import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { Db } from "../db/client.ts";
import { rowsOf } from "../db/rows.ts";
import { eachDespiteFailures } from "../despite-failures.ts";
import { gradeOf } from "./grade-attempt.ts";
import { StoredAttempt } from "./stored-attempt.ts";

const Waiting = z.object({ attempt: StoredAttempt });
const Count = z.object({ count: z.number() });

/** Attempts that are read at once, some 100 KB each. */
const batch = 20;

/**
 * Grades a closed attempt and stores the grade if it still holds: not where it was graded meanwhile, or is to be graded
 * by other keys by now. One at a time, since a grade may complete an enrollment. Answers how many were stored.
 */
export async function storeGrade(db: Db, attempt: StoredAttempt): Promise<number> {
  const grades = [{ attempt_id: attempt.id, ...gradeOf(attempt) }];
  const statement = sql`select store_quiz_grades(${JSON.stringify(grades)}::jsonb) as count`;
  const [stored] = await rowsOf(db, Count, statement);
  return stored?.count ?? 0;
}

/**
 * Grades the closed attempts that wait for it, among those that meet the condition on `quiz_attempts`. One that fails
 * goes on waiting and keeps no other from its grade: it rejects in the end with all that failed.
 */
export async function gradeWaiting(db: Db, now: Date, among: SQL = sql`true`): Promise<number> {
  let graded = 0;
  await eachDespiteFailures(waitingAttempts(db, now, among), async (attempt) => {
    graded += await storeGrade(db, attempt);
  });
  return graded;
}

async function* waitingAttempts(db: Db, now: Date, among: SQL): AsyncGenerator<StoredAttempt> {
  let last = 0;
  for (;;) {
    const waiting = await rowsOf(
      db,
      Waiting,
      sql`
        select quiz_attempt_with_keys(quiz_attempts, ${now.toISOString()}) as attempt
        from quiz_attempts where awaits_grading and id > ${last} and ${among} order by id limit ${batch}`,
    );
    for (const { attempt } of waiting) yield attempt;
    if (waiting.length < batch) return;
    last = waiting.at(-1)?.attempt.id ?? last;
  }
}

const NextDue = z.object({ due: z.number().nullable() });

/** When the time of the next attempt is up; undefined while none that is open has an end. */
export async function nextAttemptDue(db: Db): Promise<Date | undefined> {
  const statement = sql`
    select (extract(epoch from min(due_at) + quiz_grace()) * 1000)::float8 as due
    from quiz_attempts where submitted_at is null`;
  const [next] = await rowsOf(db, NextDue, statement);
  return next?.due == null ? undefined : new Date(next.due);
}

/** Closes the attempts whose time is up, and grades all that wait for it; one at a time, until the signal. */
export async function endDueAttempts(
  { db, now }: { db: Db; now: () => Date },
  signal: AbortSignal,
): Promise<{ closed: number; graded: number }> {
  const most = 1;
  let closed = 0;
  for (let last = most; last === most && !signal.aborted; closed += last) {
    const statement = sql`select close_quiz_attempts(${now().toISOString()}, ${most})::int as count`;
    const [found] = await rowsOf(db, Count, statement);
    last = found?.count ?? 0;
  }
  return { closed, graded: signal.aborted ? 0 : await gradeWaiting(db, now()) };
}
