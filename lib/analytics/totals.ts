import { type SQL, sql } from "drizzle-orm";
import type { ReportMeasure } from "../../schema/enums.ts";
import type { Period } from "./period.ts";

/** Which totals: those of one course or of all, in a period, until a day, or since the beginning. */
export type TotalsFilter = { course_id?: number | SQL | undefined; period?: Period; until?: string };

/**
 * What a statement of a report begins with, before it reads totals: what happened and is not counted yet, or since when
 * that is too much, each worked out once. Nothing is written for a report.
 */
export const uncounted = sql`uncounted as materialized (select * from uncounted_totals()),
  behind as materialized (select behind_since() as since)`;

/** What is counted and what is not yet, as one: the rows of every measure. */
export const totals = sql`(select * from report_totals union all select * from uncounted)`;

/** The rows of a measure; of all courses together when none is named. */
export function totalsOf(measure: ReportMeasure, { course_id, period, until }: TotalsFilter = {}): SQL {
  const conditions = [
    sql`measure = ${measure}`,
    course_id ? sql`course_id = ${course_id}` : sql`course_id is null`,
  ];
  if (period) conditions.push(sql`day between ${period.date_from}::date and ${period.date_to}::date`);
  if (until) conditions.push(sql`day <= ${until}::date`);
  return sql`${totals} as total where ${sql.join(conditions, sql` and `)}`;
}

/** The sum of a measure; null when there is nothing of it. */
export const sumOf = (measure: ReportMeasure, filter?: TotalsFilter): SQL =>
  sql`(select sum(amount) from ${totalsOf(measure, filter)})`;

/** The same as a count: 0 when there is nothing. */
export const countOf = (measure: ReportMeasure, filter?: TotalsFilter): SQL =>
  sql`coalesce(${sumOf(measure, filter)}, 0)::int`;

/**
 * Distinct people, or people at topics, in a period: of each day those who were not active between the period's
 * begin and that day.
 */
export const distinctOf = (measure: ReportMeasure, filter: TotalsFilter & { period: Period }): SQL =>
  sql`(
    select sum(amount) from ${totalsOf(measure, filter)}
      and (since is null or since < ${filter.period.date_from}::date))`;

/** A fraction, or a mean; null when there is nothing to divide by. */
export const ratio = (amount: SQL, number: SQL): SQL => sql`(${amount} / nullif(${number}, 0))::float8`;
