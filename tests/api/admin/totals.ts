import { sql } from "drizzle-orm";
import { countNew } from "../../../lib/analytics/count-new.ts";
import type { Db } from "../../../lib/db/client.ts";

/** What the totals come to, over all slots, with everything counted. */
export async function readTotals(db: Db) {
  await countNew(db);
  const { rows: activity } = await db.execute(sql`
    select scope, day, course_id, previous_day, sum(people) as people, sum(events), sum(milliseconds)
    from activity_totals group by 1, 2, 3, 4 having sum(people) <> 0 order by 1, 2, 3, 4`);
  const { rows: chats } = await db.execute(sql`
    select day, course_id, sum(sessions), sum(session_milliseconds), sum(diverged_sessions), sum(hits), sum(misses)
    from chat_totals group by 1, 2 having sum(sessions + diverged_sessions + hits + misses) <> 0 order by 1, 2`);
  return { activity, chats };
}

/** The same, counted anew from every event. */
export async function recountTotals(db: Db) {
  await db.execute(sql`select recount_totals()`);
  return readTotals(db);
}
