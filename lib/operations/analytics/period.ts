import type { PeriodQuery } from "../../../schema/api/operations/analytics.ts";
import { ValidationError } from "../../errors.ts";

/** Inclusive dates: in UTC, or the university's time zone in its own report. */
export type ReportPeriod = { date_from: string; date_to: string };

export type CoursePeriod = ReportPeriod & { course_id?: number | undefined };

const dayMs = 24 * 60 * 60 * 1000;

/** Longer periods list only days with a count, and none in the future. */
const maxDaysInCompleteSeries = 3653;

/** A series lists each day of the period. */
export const hasEveryDayListed = ({ date_from, date_to }: ReportPeriod): boolean =>
  Date.parse(date_to) - Date.parse(date_from) < maxDaysInCompleteSeries * dayMs;

/** Default: the 30 days that end with `date_to`, by default today. 422 if reversed. */
export function resolveReportPeriod(
  query: Pick<PeriodQuery, "date_from" | "date_to">,
  now: Date,
): ReportPeriod {
  const date_to = query.date_to ?? dateOf(now.getTime());
  const date_from = query.date_from ?? daysBefore(date_to, 29);
  return ensurePeriodInOrder({ date_from, date_to });
}

/** 422 if the period is reversed. */
export function ensurePeriodInOrder(period: ReportPeriod): ReportPeriod {
  if (period.date_from > period.date_to) throw refusal("date_from should not be after date_to");
  return period;
}

/** The last date with a four-digit year. */
const lastDay = "9999-12-31";

export const extendPeriod = ({ date_from, date_to }: ReportPeriod, days: number): ReportPeriod => ({
  date_from: daysBefore(date_from, days),
  date_to: date_to > daysBefore(lastDay, days) ? lastDay : daysBefore(date_to, -days),
});

export const daysBefore = (date: string, days: number): string => dateOf(Date.parse(date) - days * dayMs);

const dateOf = (moment: number): string => new Date(moment).toISOString().slice(0, 10);

const refusal = (msg: string) =>
  new ValidationError([{ loc: ["query", "date_from"], msg, type: "value_error" }]);
