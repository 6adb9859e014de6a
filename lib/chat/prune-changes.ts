import { sql } from "drizzle-orm";
import { changeInSteps } from "../db/query/steps.ts";
import type { Deps } from "../deps.ts";

const undoableDays = 30;

/** What a change of a tree may have taken away is the answers of a whole class. */
const rowsAtOnce = 200;

/**
 * Forgets what changes of the trees took away so many days ago, so that they can be undone no more: that they were made
 * stays. Answers how many.
 */
export const pruneTreeChanges = (
  { db, now }: Pick<Deps, "db" | "now">,
  signal: AbortSignal,
): Promise<number> =>
  changeInSteps(
    db,
    { rows: rowsAtOnce, signal },
    (rows) => sql`
      update tree_changes set removed = null where id in (
        select id from tree_changes
        where removed is not null
          and changed_at < ${now().toISOString()}::timestamptz - make_interval(days => ${undoableDays})
        order by changed_at limit ${rows} for update skip locked)
      returning id`,
  );
