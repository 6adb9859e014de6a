import { sql } from "drizzle-orm";
import type { Db } from "../db/client.ts";

type Counted = { new_events: number; new_messages: number };

/**
 * Brings the totals that reports are drawn from up to date: what was written since this was last done is counted. A
 * report does so first; the schedule does so in between, so that no report finds much to count. Much is counted in
 * several statements, each for itself, so that what takes longer than a request may is done after a few.
 */
export async function countNew(db: Db): Promise<Counted> {
  const all = { new_events: 0, new_messages: 0 };
  for (let isBehind = true; isBehind; ) {
    const { rows } = await db.execute<Counted & { is_behind: boolean }>(
      sql`select * from count_new_totals()`,
    );
    const [counted] = rows;
    if (!counted) throw new Error("count_new_totals() answered no row");
    all.new_events += counted.new_events;
    all.new_messages += counted.new_messages;
    isBehind = counted.is_behind;
  }
  return all;
}
