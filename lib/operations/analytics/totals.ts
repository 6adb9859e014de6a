import { type SQL, sql } from "drizzle-orm";
import type { ReportMeasure } from "../../../schema/enums.ts";
import type { ReportPeriod } from "./period.ts";

/**
 * Includes data that was deleted since, but no deleted courses. Uses a join: a long list in `in` would be
 * searched for each row if it exceeds work_mem.
 */
export const countedFactsSql = sql`(
  select measure, course_id, utc_midnight(day) as moment, utc_midnight(since) as since, amount
  from report_totals left join courses on courses.id = course_id
  where (is_kept or day < utc_day((select daily_aggregates_counted_until())))
    and (course_id is null or courses.id is not null)) as counted_fact`;

/** Sources (schema/functions/operations/report-facts.sql), by subject. */
const facts = {
  learning: sql`learning_facts`,
  enrollments: sql`enrollment_facts`,
  community: sql`community_facts`,
  assessments: sql`assessment_facts`,
  conversations: sql`conversation_facts`,
};

const factsOf = (about: About, { university }: TotalsFilter): SQL =>
  about === "answers"
    ? sql`uncounted_answers_unless_too_many(${university ?? sql`null`}::int)`
    : facts[about];

/** Current rows of these measures, without totals. */
export const currentFactsQuery = (
  about: About,
  measures: readonly ReportMeasure[],
  filter: TotalsFilter,
): SQL => sql`
  select measure, course_id, moment, since, amount from ${factsOf(about, filter)}
  where ${conditionsOf(measures, filter)}`;

/** Daily totals of these measures, including deleted rows. */
export const dailyTotalsQuery = (measures: readonly ReportMeasure[], filter: TotalsFilter): SQL => sql`
  select * from ${countedFactsSql} where ${conditionsOf(measures, filter)}`;

function conditionsOf(measures: readonly ReportMeasure[], { course_id, period }: TotalsFilter): SQL {
  const conditions = [sql`measure in (${measureLiteralsSql(measures)})`];
  if (course_id) conditions.push(sql`course_id = ${course_id}`);
  if (period) conditions.push(momentInPeriodCondition(sql`moment`, period));
  return sql.join(conditions, sql` and `);
}

/**
 * Course (or all), period (or all time). The university, if given, filters answers that are not counted yet.
 */
export type TotalsFilter = {
  course_id?: number | undefined;
  period?: SqlPeriod;
  university?: SQL | undefined;
};

type About = keyof typeof facts | "answers";

/**
 * `(measure, course_id, moment, since, amount)`: totals and current ones. A total's date is its day's
 * midnight.
 */
export function dailyAndCurrentTotalsSql(
  about: About,
  measures: readonly ReportMeasure[],
  filter: TotalsFilter = {},
): SQL {
  return sql`(
    ${dailyTotalsQuery(measures, filter)}
    union all
    ${currentFactsQuery(about, measures, filter)}
  )`;
}

/** As a single row: `summed.hits` is a count, or null. */
export const sumsOfTotalsQuery = (
  about: About,
  measures: readonly ReportMeasure[],
  filter?: TotalsFilter,
): SQL => sumRowsByMeasureQuery(measures, dailyAndCurrentTotalsSql(about, measures, filter));

export const sumRowsByMeasureQuery = (measures: readonly ReportMeasure[], rows: SQL): SQL => sql`
  select ${sql.join(
    measures.map(
      (measure) =>
        sql`sum(amount) filter (where measure = ${measureLiteralsSql([measure])}) as ${sql.identifier(measure)}`,
    ),
    sql`, `,
  )}
  from ${rows} as total`;

/** Dates or SQL expressions. */
export type SqlPeriod = { [Day in keyof ReportPeriod]: SQL | string };

export const momentInPeriodCondition = (moment: SQL, { date_from, date_to }: SqlPeriod): SQL =>
  sql`(${moment} >= utc_midnight(${date_from}) and ${moment} < utc_midnight(${date_to}::date + 1))`;

/** For a row of `activity_days`: its day is counted, or its person was erased. */
export const countedDayCondition = sql`(day < utc_day((select daily_aggregates_counted_until())) or user_id < 0)`;

export const activityDaysInPeriodSql = ({
  course_id,
  period,
}: TotalsFilter & { period: ReportPeriod }): SQL => sql`
  ${
    course_id
      ? sql`(
        select * from activity_days where course_id = ${course_id} and ${countedDayCondition}
        union all
        select * from uncounted_daily_activity_unless_too_much(${course_id}::int)) as active_day`
      : sql`activity`
  }
  where day between ${period.date_from}::date and ${period.date_to}::date`;

/** 0 by default. */
export const integerOrZeroSql = (sum: SQL): SQL => sql`coalesce(${sum}, 0)::int`;

/** Null if the divisor is 0. */
export const ratioSql = (amount: SQL, number: SQL): SQL =>
  sql`(${amount}::numeric / nullif(${number}, 0))::float8`;

/** Literals instead of parameters, so the plan covers only these measures. */
export const measureLiteralsSql = (measures: readonly ReportMeasure[]): SQL =>
  sql.raw(measures.map((measure) => `'${measure}'`).join(", "));
