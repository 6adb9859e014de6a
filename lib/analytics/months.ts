import { type SQL, sql } from "drizzle-orm";
import type { MonthMeasure } from "../../schema/enums.ts";
import type { CoursePeriod, Period } from "./period.ts";
import type { Days } from "./totals.ts";

/* Periods over a year are read from monthly aggregates plus the days around them (schema/functions/report-months.sql). */

/** At this length a period contains at least eleven whole months. */
const longestByDay = 366;

const dayMs = 24 * 60 * 60 * 1000;

export const isOverAYear = ({ date_from, date_to }: Period): boolean =>
  Date.parse(date_to) - Date.parse(date_from) >= longestByDay * dayMs;

/**
 * The aggregated whole months of a period, as a row `first`, `past`. `past` is exclusive; both are equal if
 * there are none.
 */
export function wholeMonths({ date_from, date_to }: Days): SQL {
  const monthAfter = (day: SQL) => sql`date_trunc('month', ${day})::date`;
  const first = monthAfter(sql`${date_from}::date + interval '1 month' - interval '1 day'`);
  return sql`
    select ${first} as first,
           greatest(${first}, least(${monthAfter(sql`${date_to}::date + 1`)}, months_until())) as past`;
}

/** Rows of `activity` in the days around the months of `whole`, optionally filtered. */
export const activityAround = ({ course_id, date_from, date_to }: CoursePeriod): SQL => sql`
  whole cross join lateral ${
    course_id ? sql`course_activity_around(${course_id}::int, ` : sql`activity_around(`
  }${date_from}::date, ${date_to}::date, whole.first, whole.past)
  where true`;

/**
 * Rows of monthly sums in `whole`. Distinct counts, such as people, skip those already counted in an earlier
 * month of it.
 */
export const monthsOf = (measures: readonly MonthMeasure[], course_id?: number): SQL => sql`
  report_months where month >= (select first from whole) and month < (select past from whole)
    and measure in (${sql.join(
      measures.map((measure) => sql.raw(`'${measure}'`)),
      sql`, `,
    )})
    ${course_id ? sql`and course_id = ${course_id}` : sql``}`;

/** Whether a row is the first one in these months. */
export const isFirst = sql`(since is null or since < (select first from whole))`;

/** Whether a row of `activity_months` is in these months. */
export const isWhole = sql`(active.month >= (select first from whole) and active.month < (select past from whole))`;
