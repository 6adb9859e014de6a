import { sql } from "drizzle-orm";
import * as z from "zod";
import type { Db } from "../db/client.ts";
import { rowsOf } from "../db/rows.ts";

const Row = z.object({ is_more: z.boolean() });

/** So few that nobody waits for long who erases their account meanwhile. */
const treesAtOnce = 200;

/**
 * Works out beforehand what reports read, for the schedule: how people stand with their courses, and then the days that
 * are over. Much is done in several statements, each for itself, until `signal`: the next time goes on from there.
 * Answers how many statements it took.
 */
export async function rollUp(db: Db, signal?: AbortSignal): Promise<number> {
  let steps = 0;
  for (const step of [sql`refresh_trees(${treesAtOnce})`, sql`count_days()`])
    for (let isMore = true; isMore && !signal?.aborted; steps++) {
      const [row] = await rowsOf(db, Row, sql`select ${step} as is_more`);
      if (!row) throw new Error("a function answered no row");
      isMore = row.is_more;
    }
  return steps;
}

/** Has all of it worked out anew by the next roll-up, as after a load with the triggers switched off. */
export async function forgetRollUp(db: Db): Promise<void> {
  await db.execute(sql`update scheduled_tasks set begun_at = to_timestamp(0) where name = 'count'`);
  await db.execute(sql`insert into stale_trees (course_offering_id) select id from course_offerings`);
}
