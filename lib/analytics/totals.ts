import { type SQL, sql } from "drizzle-orm";
import type { ReportMeasure } from "../../schema/enums.ts";
import type { Period } from "./period.ts";

/** Which totals: those of one course or of all, in a period or since the beginning. */
export type Which = { course_id?: number | SQL | undefined; period?: Period };

/** The rows of a measure, in all slots; of all courses together when none is named. */
export function totalsOf(measure: ReportMeasure, { course_id, period }: Which = {}): SQL {
  const ofCourse = course_id ? sql`course_id = ${course_id}` : sql`course_id is null`;
  const inPeriod = period
    ? sql`day between ${period.date_from}::date and ${period.date_to}::date`
    : sql`true`;
  return sql`report_totals where measure = ${measure} and ${ofCourse} and ${inPeriod}`;
}

/** The sum of a measure; null when there is nothing of it. */
export const sumOf = (measure: ReportMeasure, which?: Which): SQL =>
  sql`(select sum(amount) from ${totalsOf(measure, which)})`;

/** The same as a count: 0 when there is nothing. */
export const countOf = (measure: ReportMeasure, which?: Which): SQL =>
  sql`coalesce(${sumOf(measure, which)}, 0)::int`;

/**
 * Distinct people, or people at topics, in a period: of each day those who were not active between the period's
 * begin and that day.
 */
export const distinctOf = (measure: ReportMeasure, { course_id, period }: Which & { period: Period }): SQL =>
  sql`(
    select sum(amount) from ${totalsOf(measure, { course_id, period })}
      and (since is null or since < ${period.date_from}::date))`;

/** A fraction, or a mean; null when there is nothing to divide by. */
export const per = (amount: SQL, number: SQL): SQL => sql`(${amount} / nullif(${number}, 0))::float8`;
