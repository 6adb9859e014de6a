import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { Db } from "./client.ts";
import { rowsOf } from "./rows.ts";

const Count = z.object({ count: z.int() });

/**
 * Does one batch after another, each an expression that says how much it did, until one did nothing or the signal stops
 * it. Answers the sum.
 */
export async function countUntilNone(db: Db, batch: SQL, signal: AbortSignal): Promise<number> {
  let sum = 0;
  while (!signal.aborted) {
    const [row] = await rowsOf(db, Count, sql`select ${batch} as count`);
    if (!row?.count) return sum;
    sum += row.count;
  }
  return sum;
}
