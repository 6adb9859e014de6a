import { type SQL, sql } from "drizzle-orm";
import { expect } from "vitest";
import { countNew } from "../../../lib/analytics/count-new.ts";
import type { Db } from "../../../lib/db/client.ts";

export type Total = {
  measure: string;
  course_id: number | null;
  day: string | null;
  since: string | null;
  amount: string;
};

const sumsOf = async (db: Db, rows: SQL): Promise<Total[]> => {
  const { rows: sums } = await db.execute<Total>(sql`
    select measure, course_id, day::text, since::text, trim_scale(sum(amount)) as amount from (${rows}) as total
    group by measure, course_id, day, since having sum(amount) <> 0 order by measure, course_id, day, since`);
  return sums;
};

/** What the totals come to with everything counted, which is what a report that counts nothing reads before. */
export async function readTotals(db: Db): Promise<Total[]> {
  const read = await sumsOf(db, sql`select * from report_totals union all select * from uncounted_totals()`);
  const { rows } = await db.execute<{ is_behind: boolean }>(
    sql`select behind_since() is not null as is_behind`,
  );
  await countNew(db);
  const counted = await sumsOf(db, sql`select * from report_totals`);
  if (!rows[0]?.is_behind) expect(read).toEqual(counted);
  return counted;
}

/** The same, counted anew from everything that is there. */
export async function recountTotals(db: Db): Promise<Total[]> {
  await db.execute(sql`select recount_totals()`);
  return readTotals(db);
}
