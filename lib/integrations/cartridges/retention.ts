import { sql } from "drizzle-orm";
import type { Db } from "../../platform/db/client.ts";
import { changeInSteps } from "../../platform/db/query/steps.ts";

const keptDays = 30;

/** Deletes imports that ended so many days ago, parts first; returns their number. */
export async function pruneCartridgeImports(
  { db, now }: { db: Db; now: () => Date },
  signal: AbortSignal,
): Promise<number> {
  const isOld = sql`ended_at < ${now().toISOString()}::timestamptz - make_interval(days => ${keptDays})`;
  await changeInSteps(
    db,
    { rows: 1000, signal },
    (rows) => sql`
      delete from cartridge_parts where id in (
        select one.id from cartridge_imports cross join lateral (
          select id from cartridge_parts where import_id = cartridge_imports.id limit ${rows}) as one
        where ${isOld} limit ${rows})
      returning id`,
  );
  return changeInSteps(
    db,
    { rows: 100, signal },
    (rows) => sql`
      delete from cartridge_imports where id = any (array(
        select id from cartridge_imports where ${isOld}
          and not exists (select from cartridge_parts where import_id = cartridge_imports.id)
        order by id limit ${rows} for update skip locked))
      returning id`,
  );
}
