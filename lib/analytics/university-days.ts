import { type SQL, sql } from "drizzle-orm";
import type { PeriodQuery } from "../../schema/api/analytics.ts";
import { daysBefore, inOrder, type Period, widened } from "./period.ts";
import type { Days } from "./totals.ts";

/*
 * The days of a university's own report, which the statement works out (schema/functions/university-days.sql): it has them as
 * the row of `asked (date_from, date_to, begins, past)`, of which the latter two are the moments at which they begin and end.
 */

/** What is asked for. */
export type AskedDays = {
  /** What `asked` is, as a query. */
  row: SQL;
  /** The days as they are known before the statement; its own may be a day off where they end today. */
  period: Period;
  /** Days of UTC that surely have all of it, for what is searched by an index: so that the plan knows how much that is. */
  around: Period;
};

/** By default the 30 days that end with `date_to`, and that by default today at the university. 422 backwards. */
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
    // A day of a university is within one of that of UTC, and its today as well.
    around: widened({ date_from: first < last ? first : last, date_to: last }, 2),
    row: sql`
      select day.*, university_midnight(${universityId}::int, day.date_from) as begins,
             university_midnight(${universityId}::int, day.date_to + 1) as past
      from (
        select coalesce(${date_from ?? null}::date, last.day - 29) as date_from, last.day as date_to
        from (select coalesce(${date_to ?? null}::date, ${today}) as day) as last
      ) as day`,
  };
}

/** The first and the last day of it. */
export const asked = {
  date_from: sql`(select date_from from asked)`,
  date_to: sql`(select date_to from asked)`,
} satisfies Days;

/** Whether a moment is within them, or one of the university's days is. */
export const isAsked = (moment: SQL): SQL =>
  sql`(${moment} >= (select begins from asked) and ${moment} < (select past from asked))`;
export const isAskedDay = (day: SQL): SQL => sql`(${day} between ${asked.date_from} and ${asked.date_to})`;

/** Days of UTC whose whole months lie within them. */
export const surelyAsked: Days = {
  date_from: sql`(${asked.date_from} + 1)`,
  date_to: sql`(${asked.date_to} - 1)`,
};

/** The first day of which not all are of UTC; null where all are. */
export const timeZoneFrom = (universityId: number): SQL => sql`(
  select min(from_day)::text from university_time_zones
  where university_id = ${universityId} and from_day > '0001-01-01')`;
