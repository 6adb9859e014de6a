import { sql } from "drizzle-orm";
import { repeatInSteps } from "../db/query/steps.ts";
import type { Deps } from "../deps.ts";

/** Courses of the first step that looks, of which each takes a millisecond or two, and questions of the first that measures. */
const atOnce = { courses: 50, questions: 20 };

/** For how long at a time: what comes after it is waited for by reports. */
const mostMilliseconds = 30_000;

/**
 * Measures how often the right passage is among those that are found for the questions of a course's quizzes, where that
 * may have changed: in steps, for half a minute or until `signal`, and the next time goes on from there. Answers how many
 * steps it took.
 */
export async function measurePassages(
  { db, now }: Pick<Deps, "db" | "now">,
  signal: AbortSignal,
): Promise<number> {
  const stop = AbortSignal.any([signal, AbortSignal.timeout(mostMilliseconds)]);
  const moment = now().toISOString();
  const looked = await repeatInSteps(
    db,
    { rows: atOnce.courses, signal: stop },
    (rows) => sql`look_at_measures(${moment}::timestamptz, ${rows}::int)`,
  );
  const measured = await repeatInSteps(
    db,
    { rows: atOnce.questions, signal: stop },
    (rows) => sql`measure_passages(${moment}::timestamptz, ${rows}::int)`,
  );
  return looked + measured;
}
