import { sql } from "drizzle-orm";
import type { Db } from "../../platform/db/client.ts";
import { repeatInStepsWhileMore } from "../../platform/db/query/steps.ts";

/** Learners who post progress wait for these locks. */
const peopleAtOnce = 200;

/**
 * Recalculates progress in courses whose outline changed, until `signal`; the next run continues. Returns the
 * number of steps.
 */
export const recomputeStaleCourseProgress = (db: Db, signal?: AbortSignal): Promise<number> =>
  repeatInStepsWhileMore(
    db,
    { rows: peopleAtOnce, signal },
    (rows) => sql`recompute_stale_course_progress(${rows}::int)`,
  );
