import { sql } from "drizzle-orm";
import { recomputeStaleCourseProgress } from "../../courses/course-progress/recount.ts";
import type { Db } from "../../platform/db/client.ts";
import { repeatInStepsWhileMore } from "../../platform/db/query/steps.ts";

const treesAtOnce = 200;

/** In the first batch. */
const rowsAtOnce = 10_000;

/**
 * For reports, on schedule: progress first, then completed days. Works in steps until `signal` and resumes
 * later. Returns the number of steps.
 */
export async function rollUpReportData(db: Db, signal?: AbortSignal): Promise<number> {
  const people = await recomputeStaleCourseProgress(db, signal);
  const trees = await repeatInStepsWhileMore(
    db,
    { rows: treesAtOnce, signal },
    (rows) => sql`refresh_stale_course_progress_dates(${rows})`,
  );
  const days = await repeatInStepsWhileMore(
    db,
    { rows: rowsAtOnce, signal },
    (rows) => sql`aggregate_daily_reports(${rows}::int)`,
  );
  const months = await repeatInStepsWhileMore(
    db,
    { rows: rowsAtOnce, signal },
    (rows) => sql`aggregate_monthly_reports(${rows}::int)`,
  );
  const facts = await repeatInStepsWhileMore(
    db,
    { rows: rowsAtOnce, signal },
    (rows) => sql`aggregate_monthly_facts(${rows}::int)`,
  );
  return people + trees + days + months + facts;
}

/** The next run rebuilds the roll-up, for example after a load without triggers. */
export async function requestRollUpRebuild(db: Db): Promise<void> {
  await db.execute(
    sql`update scheduled_tasks set begun_at = to_timestamp(0), reached_at = null where name = 'count'`,
  );
  await db.execute(sql`insert into stale_outlines (course_id, includes_ended) select id, true from courses`);
}
