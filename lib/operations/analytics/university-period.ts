import { type SQL, sql } from "drizzle-orm";
import type { PeriodQuery } from "../../../schema/api/operations/analytics.ts";
import { daysBefore, ensurePeriodInOrder, extendPeriod, type ReportPeriod } from "./period.ts";
import type { SqlPeriod } from "./totals.ts";

/* The row `asked (date_from, date_to, begins, past)` of schema/functions/identity/university-days.sql. */

export type UniversityReportPeriod = {
  row: SQL;
  /** May be off by one if the period ends today. */
  period: ReportPeriod;
  /** Constants, so the planner can estimate rows of index scans. */
  around: ReportPeriod;
};

export const universityMidnightSql = (university: SQL, day: SQL): SQL => sql`coalesce((
  select least(first_moment_of_day(${day}, time_zone), ends_at) from university_zones
  where university_id = ${university} and from_day <= ${day} order by from_day desc limit 1), utc_midnight(${day}))`;

/** Default: 30 days until `date_to`, by default today at the university. 422 if reversed. */
export function resolveUniversityReportPeriod(
  universityId: number,
  { date_from, date_to }: Pick<PeriodQuery, "date_from" | "date_to">,
  now: Date,
): UniversityReportPeriod {
  if (date_from && date_to) ensurePeriodInOrder({ date_from, date_to });
  const last = date_to ?? now.toISOString().slice(0, 10);
  const first = date_from ?? daysBefore(last, 29);
  const today = sql`university_day(${universityId}::int, ${now.toISOString()})`;
  return {
    period: { date_from: first, date_to: last },
    // A university's date differs from UTC by at most a day.
    around: extendPeriod({ date_from: first < last ? first : last, date_to: last }, 2),
    row: sql`
      select day.*, ${universityMidnightSql(sql`${universityId}::int`, sql`day.date_from`)} as begins,
             ${universityMidnightSql(sql`${universityId}::int`, sql`day.date_to + 1`)} as past
      from (
        select coalesce(${date_from ?? null}::date, last.day - 29) as date_from, last.day as date_to
        from (select coalesce(${date_to ?? null}::date, ${today}) as day) as last
      ) as day`,
  };
}

export const requestedSqlPeriod = {
  date_from: sql`(select date_from from asked)`,
  date_to: sql`(select date_to from asked)`,
} satisfies SqlPeriod;

export const momentInRequestedPeriodCondition = (moment: SQL): SQL =>
  sql`(${moment} >= (select begins from asked) and ${moment} < (select past from asked))`;
export const requestedDayCondition = (day: SQL): SQL =>
  sql`(${day} between ${requestedSqlPeriod.date_from} and ${requestedSqlPeriod.date_to})`;

export const requestedSqlPeriodWithoutEdgeDays: SqlPeriod = {
  date_from: sql`(${requestedSqlPeriod.date_from} + 1)`,
  date_to: sql`(${requestedSqlPeriod.date_to} - 1)`,
};

export const firstTimeZoneChangeDaySql = (universityId: number): SQL => sql`(
  select min(from_day)::text from university_time_zones
  where university_id = ${universityId} and from_day > '0001-01-01')`;
