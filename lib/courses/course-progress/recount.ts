import { sql } from "drizzle-orm";
import type { Db } from "../../platform/db/client.ts";
import { repeatInSteps } from "../../platform/db/query/steps.ts";

/** Small enough that learners who post progress wait only briefly for the locks. */
const peopleAtOnce = 200;

/**
 * Recalculates progress in courses whose outline changed, in steps until `signal`; the next run continues.
 * Returns the number of steps.
 */
export const recountProgress = (db: Db, signal?: AbortSignal): Promise<number> =>
  repeatInSteps(db, { rows: peopleAtOnce, signal }, (rows) => sql`look_anew(${rows}::int)`);
