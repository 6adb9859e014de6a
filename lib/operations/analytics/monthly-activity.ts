import { type SQL, sql } from "drizzle-orm";
import type { MonthMeasure } from "../../../schema/enums.ts";
import type { CoursePeriod, ReportPeriod } from "./period.ts";
import { countedDayCondition, type SqlPeriod } from "./totals.ts";

/*
 * Periods over a year are read from monthly aggregates plus the days around them
 * (schema/functions/operations/monthly-report-aggregates.sql).
 */

/** At this length a period contains at least eleven whole months. */
const maxDaysAggregatedByDay = 366;

const dayMs = 24 * 60 * 60 * 1000;

export const isOverAYear = ({ date_from, date_to }: ReportPeriod): boolean =>
  Date.parse(date_to) - Date.parse(date_from) >= maxDaysAggregatedByDay * dayMs;

/** Reports may not read sums from this month on. A university's days end up to a day after UTC's. */
export const monthlyActivityUntilSql = sql`coalesce((
  select least(until, date_trunc('month', utc_day(daily_aggregates_counted_until()) - 1)::date) from counted_months), '1970-01-01')`;

/**
 * The aggregated whole months, as a row `first`, `past`. `past` is exclusive; both are equal if there are
 * none.
 */
export function wholeMonthsQuery({ date_from, date_to }: SqlPeriod): SQL {
  const monthAfter = (day: SQL) => sql`date_trunc('month', ${day})::date`;
  const first = monthAfter(sql`${date_from}::date + interval '1 month' - interval '1 day'`);
  return sql`
    select ${first} as first,
           greatest(${first}, least(${monthAfter(sql`${date_to}::date + 1`)}, ${monthlyActivityUntilSql})) as past`;
}

/** `activity` in the days around the months of `whole`, optionally of one course. */
export function activityOutsideWholeMonthsSql({ course_id, date_from, date_to }: CoursePeriod): SQL {
  const counted = sql`
    select * from activity_days where ${course_id ? sql`course_id = ${course_id} and` : sql``} ${countedDayCondition}`;
  return sql`
  whole cross join lateral (
    ${counted} and day >= ${date_from}::date and day < whole.first
    union all
    ${counted} and day >= whole.past and day <= ${date_to}::date
    union all
    select * from uncounted_daily_activity_unless_too_much(${course_id ?? null}::int)
    where day between ${date_from}::date and ${date_to}::date and (day < whole.first or day >= whole.past)
  ) as active_day
  where true`;
}

/** Monthly sums in `whole`. Distinct counts, such as people, skip those counted in an earlier month. */
export const monthlyActivitySumsSql = (measures: readonly MonthMeasure[], course_id?: number): SQL => sql`
  report_months where month >= (select first from whole) and month < (select past from whole)
    and measure in (${sql.join(
      measures.map((measure) => sql.raw(`'${measure}'`)),
      sql`, `,
    )})
    ${course_id ? sql`and course_id = ${course_id}` : sql``}`;

/** A row is the first one in these months. */
export const firstInWholeMonthsCondition = sql`(since is null or since < (select first from whole))`;

/** A row of `activity_months` is in these months. */
export const activityMonthInWholeMonthsCondition = sql`(active.month >= (select first from whole) and active.month < (select past from whole))`;
