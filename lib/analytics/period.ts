import type { PeriodQuery } from "../../schema/api/analytics.ts";
import { ValidationError } from "../errors.ts";

/** Calendar dates, both inclusive: of UTC, or of a university in its own report. */
export type Period = { date_from: string; date_to: string };

/** What a report is about: a period, and perhaps one course. */
export type CoursePeriod = Period & { course_id?: number | undefined };

const dayMs = 24 * 60 * 60 * 1000;

/** Of a longer period a series has entries for the days on which there was anything to count, and none of the future. */
const longestSeries = 3653;

/** Whether a series of a period has an entry for each of its days. */
export const isListedWhole = ({ date_from, date_to }: Period): boolean =>
  Date.parse(date_to) - Date.parse(date_from) < longestSeries * dayMs;

/** What is asked for, by default the 30 days that end with `date_to`, and that by default today. 422 backwards. */
export function periodOf(query: Pick<PeriodQuery, "date_from" | "date_to">, now: Date): Period {
  const date_to = query.date_to ?? dateOf(now.getTime());
  const date_from = query.date_from ?? daysBefore(date_to, 29);
  return inOrder({ date_from, date_to });
}

/** A period; 422 where it goes backwards. */
export function inOrder(period: Period): Period {
  if (period.date_from > period.date_to) throw refusal("date_from should not be after date_to");
  return period;
}

/** The last day that has a date of four digits, behind which nothing is. */
const lastDay = "9999-12-31";

/** So many days more at both ends. */
export const widened = ({ date_from, date_to }: Period, days: number): Period => ({
  date_from: daysBefore(date_from, days),
  date_to: date_to > daysBefore(lastDay, days) ? lastDay : daysBefore(date_to, -days),
});

/** The date so many days before another. */
export const daysBefore = (date: string, days: number): string => dateOf(Date.parse(date) - days * dayMs);

const dateOf = (moment: number): string => new Date(moment).toISOString().slice(0, 10);

const refusal = (msg: string) =>
  new ValidationError([{ loc: ["query", "date_from"], msg, type: "value_error" }]);
