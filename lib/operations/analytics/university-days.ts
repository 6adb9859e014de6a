import { type SQL, sql } from "drizzle-orm";
import type { PeriodQuery } from "../../../schema/api/operations/analytics.ts";
import { daysBefore, inOrder, type Period, widened } from "./period.ts";
import type { Days } from "./totals.ts";

/*
 * Computed in SQL (schema/functions/identity/university-days.sql) as the row `asked (date_from, date_to,
 * begins, past)`. The last two are the timestamps of its bounds.
 */

export type AskedDays = {
  row: SQL;
  /** The days as known before the statement. May be off by one if the period ends today. */
  period: Period;
  /** UTC days that include the period, as constants for index scans, so the planner can estimate rows. */
  around: Period;
};

/** The moment at which a university's day begins. */
export const universityMidnight = (university: SQL, day: SQL): SQL => sql`coalesce((
  select least(first_moment_of_day(${day}, time_zone), ends_at) from university_zones
  where university_id = ${university} and from_day <= ${day} order by from_day desc limit 1), utc_midnight(${day}))`;

/** Default: the 30 days that end with `date_to`, by default today at the university. 422 if reversed. */
export function askedDays(
  universityId: number,
  { date_from, date_to }: Pick<PeriodQuery, "date_from" | "date_to">,
  now: Date,
): AskedDays {
  if (date_from && date_to) inOrder({ date_from, date_to });
  const last = date_to ?? now.toISOString().slice(0, 10);
  const first = date_from ?? daysBefore(last, 29);
  const today = sql`university_day(${universityId}::int, ${now.toISOString()})`;
  return {
    period: { date_from: first, date_to: last },
    // A university's date differs from UTC by at most a day, and so does its today.
    around: widened({ date_from: first < last ? first : last, date_to: last }, 2),
    row: sql`
      select day.*, ${universityMidnight(sql`${universityId}::int`, sql`day.date_from`)} as begins,
             ${universityMidnight(sql`${universityId}::int`, sql`day.date_to + 1`)} as past
      from (
        select coalesce(${date_from ?? null}::date, last.day - 29) as date_from, last.day as date_to
        from (select coalesce(${date_to ?? null}::date, ${today}) as day) as last
      ) as day`,
  };
}

export const asked = {
  date_from: sql`(select date_from from asked)`,
  date_to: sql`(select date_to from asked)`,
} satisfies Days;

/** A timestamp, or a university's day, is in the period. */
export const isAsked = (moment: SQL): SQL =>
  sql`(${moment} >= (select begins from asked) and ${moment} < (select past from asked))`;
export const isAskedDay = (day: SQL): SQL => sql`(${day} between ${asked.date_from} and ${asked.date_to})`;

/** UTC days whose whole months are inside the period. */
export const surelyAsked: Days = {
  date_from: sql`(${asked.date_from} + 1)`,
  date_to: sql`(${asked.date_to} - 1)`,
};

/** The first day that is not in UTC, or null. */
export const timeZoneFrom = (universityId: number): SQL => sql`(
  select min(from_day)::text from university_time_zones
  where university_id = ${universityId} and from_day > '0001-01-01')`;
