import { type SQL, sql } from "drizzle-orm";
import { type FactMonthMeasure, factMonthMeasures, type ReportMeasure } from "../../../schema/enums.ts";
import type { CoursePeriod, ReportPeriod } from "./period.ts";
import { currentFactsQuery, dailyTotalsQuery, measureLiteralsSql, type SqlPeriod } from "./totals.ts";

/*
 * Periods over a year are read from monthly aggregates plus the raw rows of the partial months at both ends
 * (schema/functions/operations/monthly-aggregates.sql). `whole_facts (first, past)` has the months and is
 * empty if none is aggregated.
 */

const monthAfter = (day: SQL) => sql`date_trunc('month', ${day})::date`;

/** Reports may not read sums from this month on. */
export const monthlyTotalsUntilSql = sql`coalesce((select least(until, utc_month(daily_aggregates_counted_until())) from counted_facts), '1970-01-01')`;

/** `past`: the day after the last month, or `first` without one. */
export function wholeMonthsOfTotalsCte({ date_from, date_to }: SqlPeriod): SQL {
  const first = monthAfter(sql`${date_from}::date + interval '1 month' - interval '1 day'`);
  return sql`
    whole_facts as materialized (
      select ${first} as first,
             greatest(${first}, least(${monthAfter(sql`${date_to}::date + 1`)}, ${monthlyTotalsUntilSql})) as past)`;
}

const first = sql`(select first from whole_facts)`;
const past = sql`(select past from whole_facts)`;

/** The date is in the period before those months, or after them. */
export const beforeWholeMonthsCondition = (moment: SQL): SQL => sql`${moment} < utc_midnight(${first})`;
export const afterWholeMonthsCondition = (moment: SQL): SQL => sql`${moment} >= utc_midnight(${past})`;

/** The days of the period before and after those months. */
export const sqlPeriodsOutsideWholeMonths = ({ date_from, date_to }: ReportPeriod) => [
  { date_from, date_to: sql`(${first} - 1)` },
  { date_from: past, date_to },
];

/** The month is one of them, or a date is in one. */
export const wholeMonthCondition = (month: SQL): SQL => sql`(${month} >= ${first} and ${month} < ${past})`;
export const momentInWholeMonthsCondition = (moment: SQL): SQL =>
  sql`(${moment} >= utc_midnight(${first}) and ${moment} < utc_midnight(${past}))`;

const isSummed = (measure: ReportMeasure): measure is FactMonthMeasure & ReportMeasure =>
  (factMonthMeasures as readonly string[]).includes(measure);

/** The rows of `dailyAndCurrentTotalsSql`. For summed measures, whole months are one row each. */
export function totalsWithWholeMonthsSql(
  about: "learning" | "conversations",
  measures: readonly ReportMeasure[],
  { course_id, ...period }: CoursePeriod,
): SQL {
  const summed = measures.filter(isSummed);
  const others = measures.filter((measure) => !isSummed(measure));
  const parts = [
    dailyTotalsQuery(measures, { course_id, period }),
    ...(others.length > 0 ? [currentFactsQuery(about, others, { course_id, period })] : []),
    ...sqlPeriodsOutsideWholeMonths(period).map((days) =>
      currentFactsQuery(about, summed, { course_id, period: days }),
    ),
    sql`
      select measure, nullif(course_id, 0), utc_midnight(month), utc_midnight(since), amount from fact_months
      where measure in (${measureLiteralsSql(summed)}) and ${wholeMonthCondition(sql`month`)}
        ${course_id ? sql`and course_id = ${course_id}` : sql``}`,
    ...(about === "conversations" ? [longerConversations(course_id)] : []),
  ];
  return sql`(${sql.join(parts, sql` union all `)})`;
}

/** Growth of conversations in those months since the aggregation. */
const longerConversations = (courseId: number | undefined): SQL => sql`
  select measure, course_id, opened_at, null::timestamptz, amount
  from conversation_counts_and_durations_between(coalesce((select reached_at from counted_facts), 'infinity'), 'infinity')
  where ${momentInWholeMonthsCondition(sql`opened_at`)} ${courseId ? sql`and course_id = ${courseId}` : sql``}`;

/**
 * Topics begun in the period and completed by its end, as the only row of `topics`. Topics of partial months
 * are counted individually, those of whole months by aggregates, plus later completions.
 */
export function topicCompletionWithWholeMonthsQuery({ course_id, ...period }: CoursePeriod): SQL {
  const isOver = sql`moment < utc_midnight(${period.date_to}::date + 1)`;
  const [, behind] = sqlPeriodsOutsideWholeMonths(period);
  const begun = sqlPeriodsOutsideWholeMonths(period).map(
    (days) => sql`
      select amount from (${currentFactsQuery("learning", ["topics_completed"], { course_id })}) as completed
      where since >= utc_midnight(${days.date_from}::date) and since < utc_midnight(${days.date_to}::date + 1) and ${isOver}`,
  );
  return sql`
    select sum(amount) as topics from (
      select amount from (${dailyTotalsQuery(["topics_completed"], { course_id })}) as kept
      where ${isOver} and since >= utc_midnight(${period.date_from}::date) and since < utc_midnight(${period.date_to}::date + 1)
      union all
      ${sql.join(begun, sql` union all `)}
      union all
      select amount from fact_months
      where measure = 'topics_completed' and month < ${past} and ${wholeMonthCondition(sql`since`)}
        ${course_id ? sql`and course_id = ${course_id}` : sql``}
      union all
      select amount from (
        ${currentFactsQuery("learning", ["topics_completed"], { course_id, ...(behind && { period: behind }) })}
      ) as later where ${momentInWholeMonthsCondition(sql`since`)}
    ) as total`;
}
