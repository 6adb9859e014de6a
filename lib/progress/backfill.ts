import { sql } from "drizzle-orm";
import * as z from "zod";
import type { Db } from "../db/client.ts";
import { rowsOf } from "../db/rows.ts";

const Row = z.object({ is_more: z.boolean() });

const atOnce = 100;

/**
 * Begins the items of attempts and submissions that were made before they did so by themselves, in several statements,
 * each for itself, until `signal`: the next time goes on from there. Answers how many statements it took.
 */
export async function beginItemsOfBefore(db: Db, signal: AbortSignal): Promise<number> {
  let steps = 0;
  for (let isMore = true; isMore && !signal.aborted; steps++) {
    const [row] = await rowsOf(db, Row, sql`select begin_items_of_before(${atOnce}) as is_more`);
    if (!row) throw new Error("a function answered no row");
    isMore = row.is_more;
  }
  return steps;
}
