import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { Db } from "../client.ts";
import { sqlStateOf } from "../unavailable.ts";
import { rowsOf } from "./rows.ts";
import { createAdaptiveStepSize } from "./step-size.ts";

/** Rows of the first step, and a signal that stops between steps. */
export type StepOptions = { rows: number; signal?: AbortSignal | undefined };

/** Also bounds the wait for a step's locks. */
const STEP_TIMEOUT_MS = 2_000;

/**
 * Runs each step in its own transaction, until `step` returns false or the signal aborts. Slow steps shrink
 * the next; one that times out is repeated with fewer rows. Rejects if a single row takes too long. Returns
 * the number of steps.
 */
export async function doInSteps(
  db: Db,
  { rows, signal }: StepOptions,
  step: (tx: Db, rows: number) => Promise<boolean>,
): Promise<number> {
  const size = createAdaptiveStepSize(rows);
  let done = 0;
  for (let isMore = true; isMore && !signal?.aborted; ) {
    const begun = performance.now();
    try {
      isMore = await db.transaction(async (tx) => {
        await tx.execute(sql.raw(`set local statement_timeout = ${STEP_TIMEOUT_MS}`));
        return step(tx, size.rows());
      });
      size.took(performance.now() - begun);
      done += 1;
    } catch (error) {
      if (!wasGivenUp(error) || size.rows() === 1) throw error;
      size.took(Number.POSITIVE_INFINITY);
    }
  }
  return done;
}

/** For an SQL expression that returns whether more is left. */
export const repeatInStepsWhileMore = (
  db: Db,
  steps: StepOptions,
  step: (rows: number) => SQL,
): Promise<number> =>
  doInSteps(db, steps, async (tx, rows) => {
    const [row] = await rowsOf(tx, IsMore, sql`select ${step(rows)} as is_more`);
    if (!row) throw new Error("a function returned no row");
    return row.is_more;
  });

const IsMore = z.object({ is_more: z.boolean() });

/** For an SQL expression that returns a count, until it is 0. Returns the sum. */
export const repeatInStepsUntilZero = (
  db: Db,
  steps: StepOptions,
  step: (rows: number) => SQL,
): Promise<number> => sumOf(db, steps, (rows) => sql`select ${step(rows)} as count`);

/** For a statement that returns each changed row, until it changes none. Returns the sum. */
export const changeInSteps = (db: Db, steps: StepOptions, step: (rows: number) => SQL): Promise<number> =>
  sumOf(db, steps, (rows) => sql`with changed as (${step(rows)}) select count(*)::int as count from changed`);

async function sumOf(db: Db, steps: StepOptions, step: (rows: number) => SQL): Promise<number> {
  let sum = 0;
  await doInSteps(db, steps, async (tx, rows) => {
    const [row] = await rowsOf(tx, Count, step(rows));
    sum += row?.count ?? 0;
    return (row?.count ?? 0) > 0;
  });
  return sum;
}

const Count = z.object({ count: z.int() });

/** A statement timeout (57014) or lock timeout (55P03). */
function wasGivenUp(error: unknown): boolean {
  for (let link = error; link instanceof Error; link = link.cause)
    if (["57014", "55P03"].includes(sqlStateOf(link) ?? "")) return true;
  return false;
}
