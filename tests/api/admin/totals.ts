import { sql } from "drizzle-orm";
import { countNew } from "../../../lib/analytics/count-new.ts";
import type { Db } from "../../../lib/db/client.ts";

export type Total = {
  measure: string;
  course_id: number | null;
  day: string | null;
  since: string | null;
  amount: string;
};

/** What the totals come to with everything counted. */
export async function readTotals(db: Db): Promise<Total[]> {
  await countNew(db);
  const { rows } = await db.execute<Total>(sql`
    select measure, course_id, day::text, since::text, trim_scale(amount) as amount
    from report_totals where amount <> 0 order by measure, course_id, day, since`);
  return rows;
}

/** The same, counted anew from everything that is there. */
export async function recountTotals(db: Db): Promise<Total[]> {
  await db.execute(sql`select recount_totals()`);
  return readTotals(db);
}
