import { sql } from "drizzle-orm";
import * as z from "zod";
import type { Db } from "../db/client.ts";
import { rowsOf } from "../db/rows.ts";

type Counted = { new_events: number; new_messages: number };

const CountedRow = z.object({ new_events: z.int(), new_messages: z.int(), is_behind: z.boolean() });

/**
 * Brings the totals that reports are drawn from up to date: what was written since this was last done is counted. A
 * report does so first; the schedule does so in between, so that no report finds much to count. Much is counted in
 * several statements, each for itself, so that what takes longer than a request may is done after a few.
 */
export async function countNew(db: Db): Promise<Counted> {
  const all = { new_events: 0, new_messages: 0 };
  for (let isBehind = true; isBehind; ) {
    const [counted] = await rowsOf(db, CountedRow, sql`select * from count_new_totals()`);
    if (!counted) throw new Error("count_new_totals() answered no row");
    all.new_events += counted.new_events;
    all.new_messages += counted.new_messages;
    isBehind = counted.is_behind;
  }
  return all;
}
