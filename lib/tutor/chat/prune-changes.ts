import { sql } from "drizzle-orm";
import type { Deps } from "../../deps.ts";
import { changeInSteps } from "../../platform/db/query/steps.ts";

const undoableDays = 30;

/** A single change may have removed a whole class's answers. */
const rowsAtOnce = 200;

/** Deletes undo data after so many days; the changes' records stay. Returns the number of changes. */
export const pruneTreeChangeUndoData = (
  { db, now }: Pick<Deps, "db" | "now">,
  signal: AbortSignal,
): Promise<number> =>
  changeInSteps(
    db,
    { rows: rowsAtOnce, signal },
    (rows) => sql`
      update tree_changes set removed = null where id = any (array(
        select id from tree_changes
        where removed is not null
          and changed_at < ${now().toISOString()}::timestamptz - make_interval(days => ${undoableDays})
        order by changed_at limit ${rows} for update skip locked))
      returning id`,
  );
