import { sql } from "drizzle-orm";
import * as z from "zod";
import type { Db } from "../db/client.ts";
import { rowsOf } from "../db/rows.ts";

const Row = z.object({ new_events: z.int(), is_behind: z.boolean() });

/**
 * Counts for the reports what was written since this was last done: for the schedule, so that no report finds much that
 * is not counted. Much is counted in several statements, each for itself, until `signal`: the next time goes on
 * from there. Answers how many events were counted.
 */
export async function countNew(db: Db, signal?: AbortSignal): Promise<number> {
  let events = 0;
  for (let isBehind = true; isBehind && !signal?.aborted; ) {
    const [counted] = await rowsOf(db, Row, sql`select * from count_new_totals()`);
    if (!counted) throw new Error("count_new_totals() answered no row");
    events += counted.new_events;
    isBehind = counted.is_behind;
  }
  return events;
}
