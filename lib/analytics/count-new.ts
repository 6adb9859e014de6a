import { sql } from "drizzle-orm";
import type { Db } from "../db/client.ts";

/**
 * Brings the totals that reports are drawn from up to date: what was written since this was last done is counted. A
 * report does so first; the schedule does so in between, so that no report finds much to count.
 */
export async function countNew(db: Db): Promise<{ new_events: number; new_messages: number }> {
  const { rows } = await db.execute<{ new_events: number; new_messages: number }>(
    sql`select * from count_new_totals()`,
  );
  return rows[0] ?? { new_events: 0, new_messages: 0 };
}
