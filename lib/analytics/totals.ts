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

/** What rows count for (schema/functions/report-facts.sql), by what it is about. */
const facts = {
  learning: sql`learning_facts`,
  enrollments: sql`enrollment_facts`,
  community: sql`community_facts`,
  assessments: sql`assessment_facts`,
  conversations: sql`conversation_facts`,
};

const factsOf = (about: About, { university }: TotalsFilter): SQL =>
  about === "answers" ? sql`uncounted_answers(${university ?? sql`null`}::int)` : facts[about];

/** The rows of these measures as they stand, without what is counted beside them. */
export const standingOf = (
  about: About,
  measures: readonly ReportMeasure[],
  filter: TotalsFilter,
): SQL => sql`
  select measure, course_id, moment, since, amount from ${factsOf(about, filter)}
  where ${conditionsOf(measures, filter)}`;

/** What is counted of these measures beside them, and is gone. */
export const keptOf = (measures: readonly ReportMeasure[], filter: TotalsFilter): SQL => sql`
  select * from ${countedFacts} where ${conditionsOf(measures, filter)}`;

function conditionsOf(measures: readonly ReportMeasure[], { course_id, period }: TotalsFilter): SQL {
  const conditions = [sql`measure in (${literals(measures)})`];
  if (course_id) conditions.push(sql`course_id = ${course_id}`);
  if (period) conditions.push(isWithin(sql`moment`, period));
  return sql.join(conditions, sql` and `);
}

/**
 * Of one course or of all, in a period or since the beginning. Answers that are not counted yet are found by the university,
 * where it is one, or those of all.
 */
export type TotalsFilter = { course_id?: number | undefined; period?: Days; university?: SQL | undefined };

/** What rows are about. */
type About = keyof typeof facts | "answers";

/**
 * The rows of these measures, `(measure, course_id, moment, since, amount)`: what is counted, and what there is now. A
 * moment that is counted is the midnight of its day.
 */
export function totalsOf(about: About, measures: readonly ReportMeasure[], filter: TotalsFilter = {}): SQL {
  return sql`(
    ${keptOf(measures, filter)}
    union all
    ${standingOf(about, measures, filter)}
  )`;
}

/** Their sums, as the only row of a table: `summed.hits` is a count, null when there is nothing of it. */
export const summed = (about: About, measures: readonly ReportMeasure[], filter?: TotalsFilter): SQL =>
  sumsOf(measures, totalsOf(about, measures, filter));

/** The same of rows that are read otherwise. */
export const sumsOf = (measures: readonly ReportMeasure[], rows: SQL): SQL => sql`
  select ${sql.join(
    measures.map(
      (measure) =>
        sql`sum(amount) filter (where measure = ${literals([measure])}) as ${sql.identifier(measure)}`,
    ),
    sql`, `,
  )}
  from ${rows} as total`;

/** Days that a statement works out, or those of a request. */
export type Days = { [Day in keyof Period]: SQL | string };

/** Whether a moment is within the days of a period. */
export const isWithin = (moment: SQL, { date_from, date_to }: Days): SQL =>
  sql`(${moment} >= utc_midnight(${date_from}) and ${moment} < utc_midnight(${date_to}::date + 1))`;

/** Whether a row of `activity_days` is read: its day is counted, or its person was erased. */
export const isCountedDay = sql`(day < utc_day((select counted_until())) or user_id < 0)`;

/** The rows of `activity` in a period, of one course or of all. */
export const activityIn = ({ course_id, period }: TotalsFilter & { period: Period }): SQL => sql`
  ${
    course_id
      ? sql`(
        select * from activity_days where course_id = ${course_id} and ${isCountedDay}
        union all
        select * from uncounted_activity(${course_id}::int)) as active_day`
      : sql`activity`
  }
  where day between ${period.date_from}::date and ${period.date_to}::date`;

/** A sum as a count: 0 when there is nothing. */
export const count = (sum: SQL): SQL => sql`coalesce(${sum}, 0)::int`;

/** A fraction, or a mean; null when there is nothing to divide by. */
export const ratio = (amount: SQL, number: SQL): SQL =>
  sql`(${amount}::numeric / nullif(${number}, 0))::float8`;

/** In the text of the statement, so that the plan has nothing of the other measures. */
export const literals = (measures: readonly ReportMeasure[]): SQL =>
  sql.raw(measures.map((measure) => `'${measure}'`).join(", "));
