import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { Db } from "../client.ts";
import { sqlStateOf } from "../unavailable.ts";
import { rowsOf } from "./rows.ts";
import { stepSizeFrom } from "./step-size.ts";

/** How many rows the first step takes, and what stops the work between two. */
export type Steps = { rows: number; signal?: AbortSignal | undefined };

/** When the database gives a step up, in milliseconds; what waits for its locks waits no longer. */
const STEP_TIMEOUT_MS = 2_000;

/**
 * Does what nobody waits for in steps of so many rows, each a transaction of its own, until `step` says that no more is
 * left, or the signal stops it. A step that takes too long makes the next ones smaller; one that the database gives up,
 * or that waits too long for a lock, is done again as a smaller one. Rejects where a single row takes too long. Answers
 * how many steps were done.
 */
export async function doInSteps(
  db: Db,
  { rows, signal }: Steps,
  step: (tx: Db, rows: number) => Promise<boolean>,
): Promise<number> {
  const size = stepSizeFrom(rows);
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

/** The same, where each step is an expression that answers whether more is left. */
export const repeatInSteps = (db: Db, steps: Steps, step: (rows: number) => SQL): Promise<number> =>
  doInSteps(db, steps, async (tx, rows) => {
    const [row] = await rowsOf(tx, IsMore, sql`select ${step(rows)} as is_more`);
    if (!row) throw new Error("a function answered no row");
    return row.is_more;
  });

const IsMore = z.object({ is_more: z.boolean() });

/** The same, where each step is an expression that answers how much it did, until one does nothing. Answers the sum. */
export const sumOfSteps = (db: Db, steps: Steps, step: (rows: number) => SQL): Promise<number> =>
  sumOf(db, steps, (rows) => sql`select ${step(rows)} as count`);

/** The same, where each step is a statement that returns each row that it changed, until it changes none. */
export const changeInSteps = (db: Db, steps: Steps, step: (rows: number) => SQL): Promise<number> =>
  sumOf(db, steps, (rows) => sql`with changed as (${step(rows)}) select count(*)::int as count from changed`);

async function sumOf(db: Db, steps: Steps, step: (rows: number) => SQL): Promise<number> {
  let sum = 0;
  await doInSteps(db, steps, async (tx, rows) => {
    const [row] = await rowsOf(tx, Count, step(rows));
    sum += row?.count ?? 0;
    return (row?.count ?? 0) > 0;
  });
  return sum;
}

const Count = z.object({ count: z.int() });

/** Whether the database ended a statement because of its time, or would not let it wait for a lock any longer. */
function wasGivenUp(error: unknown): boolean {
  for (let link = error; link instanceof Error; link = link.cause)
    if (["57014", "55P03"].includes(sqlStateOf(link) ?? "")) return true;
  return false;
}
