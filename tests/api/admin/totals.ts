import { sql } from "drizzle-orm";
import type { Db } from "../../../lib/db/client.ts";

/** What the totals come to, over all slots. */
export async function readTotals(db: Db) {
  const { rows } = await db.execute(sql`
    select measure, course_id, day, since, round(sum(amount), 9) as amount from report_totals
    group by 1, 2, 3, 4 having sum(amount) <> 0 order by 1, 2, 3, 4`);
  return rows;
}

/** The same, counted anew from every row. */
export async function recountTotals(db: Db) {
  await db.execute(sql`select recount_totals()`);
  return readTotals(db);
}
