import { sql } from "drizzle-orm";
import type { Deps } from "../../deps.ts";
import { changeInSteps } from "../../platform/db/query/steps.ts";

/** The inbox shows failed answers as long. */
const daysKept = 30;
const failedAnswersDeletedPerStep = 1000;

/** Returns the number of rows. */
export const pruneFailedAnswers = (
  { db, now }: Pick<Deps, "db" | "now">,
  signal: AbortSignal,
): Promise<number> =>
  changeInSteps(
    db,
    { rows: failedAnswersDeletedPerStep, signal },
    (rows) => sql`
      delete from failed_answers where id = any (array(
        select id from failed_answers
        where created_at < ${now().toISOString()}::timestamptz - make_interval(days => ${daysKept})
        order by id limit ${rows} for update skip locked))
      returning id`,
  );
