import { type SQL, sql } from "drizzle-orm";
import type { ReportMeasure } from "../../schema/enums.ts";
import type { Period } from "./period.ts";

/**
 * What is counted of the days that are over, and what was there and is gone; but nothing of a course that is gone. Courses
 * are joined: whether one is in a list of them is searched once for each row where that is too long for a statement's memory.
 */
export const countedFacts = sql`(
  select measure, course_id, utc_midnight(day) as moment, utc_midnight(since) as since, amount
  from report_totals left join courses on courses.id = course_id
  where (is_kept or day < utc_day((select counted_until())))
    and (course_id is null or courses.id is not null)) as counted_fact`;

/** Answers that are not counted yet. */
export const newAnswers = sql`(
  select * from answer_facts where moment >= (select counted_until()) and not (select are_answers_behind())) as new_answer`;

/** How people stand with the trees of one course, or of all. */
export const courseProgressOf = (courseId?: number): SQL =>
  courseId ? sql`course_trees_of(${courseId}::int)` : sql`trees`;

/** What rows count for (schema/functions/report-facts.sql), by what it is about. */
const facts = {
  learning: () => sql`learning_facts`,
  standing: () => sql`standing_facts`,
  assessments: () => sql`assessment_facts`,
  conversations: () => sql`conversation_facts`,
  answers: () => newAnswers,
  trees: (courseId?: number) => sql`(
    select 'trees_completed' as measure, course_id, utc_midnight(completed_on) as moment, null::timestamptz as since,
           1::numeric as amount
    from ${courseProgressOf(courseId)} as tree) as tree_fact`,
};

/** Of one course or of all, in a period or since the beginning. */
export type TotalsFilter = { course_id?: number | undefined; period?: Period };

/**
 * The rows of these measures, `(measure, course_id, moment, since, amount)`: what is counted, and what there is now. A
 * moment that is counted is the midnight of its day.
 */
export function totalsOf(
  about: keyof typeof facts,
  measures: readonly ReportMeasure[],
  { course_id, period }: TotalsFilter = {},
): SQL {
  const conditions = [sql`measure in (${literals(measures)})`];
  if (course_id) conditions.push(sql`course_id = ${course_id}`);
  if (period) conditions.push(isWithin(sql`moment`, period));
  return sql`(
    select * from ${countedFacts} where ${sql.join(conditions, sql` and `)}
    union all
    select measure, course_id, moment, since, amount from ${facts[about](course_id)} where ${sql.join(conditions, sql` and `)}
  )`;
}

/** Their sums, as the only row of a table: `summed.hits` is a count, null when there is nothing of it. */
export const summed = (
  about: keyof typeof facts,
  measures: readonly ReportMeasure[],
  filter?: TotalsFilter,
): SQL => sql`
  select ${sql.join(
    measures.map(
      (measure) =>
        sql`sum(amount) filter (where measure = ${literals([measure])}) as ${sql.identifier(measure)}`,
    ),
    sql`, `,
  )}
  from ${totalsOf(about, measures, filter)} as total`;

/** Whether a moment is within the days of a period. */
export const isWithin = (moment: SQL, { date_from, date_to }: Period): SQL =>
  sql`(${moment} >= utc_midnight(${date_from}) and ${moment} < utc_midnight(${date_to}::date + 1))`;

/** The rows of `activity` in a period, of one course or of all. */
export const activityIn = ({ course_id, period }: TotalsFilter & { period: Period }): SQL => sql`
  ${course_id ? sql`course_activity(${course_id}::int)` : sql`activity`}
  where day between ${period.date_from}::date and ${period.date_to}::date`;

/** A sum as a count: 0 when there is nothing. */
export const count = (sum: SQL): SQL => sql`coalesce(${sum}, 0)::int`;

/** A fraction, or a mean; null when there is nothing to divide by. */
export const ratio = (amount: SQL, number: SQL): SQL =>
  sql`(${amount}::numeric / nullif(${number}, 0))::float8`;

/** In the text of the statement, so that the plan has nothing of the other measures. */
const literals = (measures: readonly ReportMeasure[]): SQL =>
  sql.raw(measures.map((measure) => `'${measure}'`).join(", "));
