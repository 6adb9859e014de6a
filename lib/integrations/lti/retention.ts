import { sql } from "drizzle-orm";
import type { Deps } from "../../deps.ts";
import { changeInSteps } from "../../platform/db/query/steps.ts";

const ltiRowsDeletedPerStep = 5000;

/** Deletes statistics of rejected launches after 90 days; returns the number of rows. */
export function pruneRefusedLaunches(
  { db, now }: Pick<Deps, "db" | "now">,
  signal: AbortSignal,
): Promise<number> {
  const before = sql`(${now().toISOString()}::timestamptz at time zone 'UTC')::date - 90`;
  return changeInSteps(
    db,
    { rows: ltiRowsDeletedPerStep, signal },
    (rows) => sql`
      delete from lti_refused_launches where id = any (array(
        select id from lti_refused_launches where day < ${before} order by day limit ${rows} for update skip locked))
      returning id`,
  );
}
