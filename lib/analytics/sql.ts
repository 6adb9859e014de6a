import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Period } from "./period.ts";

/** Whether a moment lies in the period. Bounds of the same kind as the column let its index serve. */
export const momentIn = (moment: SQL, { date_from, date_to }: Period): SQL =>
  sql`${moment} >= utc_midnight(${date_from}) and ${moment} < utc_midnight(${date_to}::date + 1)`;

/** The moment at which the period has ended. */
export const endOf = ({ date_to }: Period): SQL => sql`utc_midnight(${date_to}::date + 1)`;

/** Whether a day lies in the period. */
export const dayIn = (day: SQL, { date_from, date_to }: Period): SQL =>
  sql`${day} between ${date_from}::date and ${date_to}::date`;

/**
 * Distinct people, or people at topics, in the totals of the days from `first` on: those of each day who were not
 * active between `first` and that day.
 */
export const distinctSince = (first: SQL): SQL =>
  sql`sum(people) filter (where previous_day is null or previous_day < ${first})`;

/** A fraction, or a mean; null when there is nothing to divide by. */
export const per = (amount: SQLWrapper, number: SQLWrapper): SQL =>
  sql`(${amount})::float8 / nullif(${number}, 0)`;

/** A count as a number that JSON knows; 0 when there is nothing to count. */
export const whole = (amount: SQLWrapper): SQL => sql`coalesce(${amount}, 0)::int`;
