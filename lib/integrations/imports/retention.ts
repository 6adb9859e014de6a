import { sql } from "drizzle-orm";
import type { Db } from "../../platform/db/client.ts";
import { changeInSteps } from "../../platform/db/query/steps.ts";

const keptDays = 30;

const rowsAtOnce = 2000;

/** Deletes imports that ended so many days ago, rows first; returns their number. */
export async function pruneImports(
  { db, now }: { db: Db; now: () => Date },
  signal: AbortSignal,
): Promise<number> {
  const steps = { rows: rowsAtOnce, signal };
  const isOld = sql`ended_at < ${now().toISOString()}::timestamptz - make_interval(days => ${keptDays})`;
  await changeInSteps(
    db,
    steps,
    (rows) => sql`
      delete from import_rows where id in (
        select one.id from imports cross join lateral (
          select id from import_rows where import_id = imports.id limit ${rows}) as one
        where ${isOld} limit ${rows})
      returning id`,
  );
  return changeInSteps(
    db,
    steps,
    (rows) => sql`
      delete from imports where id = any (array(
        select id from imports where ${isOld}
          and not exists (select from import_rows where import_id = imports.id)
        order by id limit ${rows} for update skip locked))
      returning id`,
  );
}
