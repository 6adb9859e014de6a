import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { TutorReport, TutorReportQuery } from "../../../schema/api/operations/analytics.ts";
import { CalendarDate } from "../../../schema/api/platform/fields.ts";
import { forbidden } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { can } from "../../identity/rbac/policy.ts";
import { permissionCondition } from "../../identity/rbac/scopes.ts";
import { ensureAllowedInUniversity } from "../../identity/universities/universities.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { isOverAYear } from "./monthly-activity.ts";
import {
  sqlPeriodsOutsideWholeMonths,
  wholeMonthCondition,
  wholeMonthsOfTotalsCte,
} from "./monthly-totals.ts";
import { daysBefore, hasEveryDayListed, type ReportPeriod } from "./period.ts";
import { answersBehindSinceSql, asOfField, BehindSinceColumn, nullIfDayNotCounted } from "./report-delay.ts";
import { dailyAndCurrentTotalsSql, type SqlPeriod } from "./totals.ts";

type About = ReportPeriod & Pick<TutorReportQuery, "university_id" | "course_id" | "skip" | "limit">;

const Sums = z.object({
  calls: z.int(),
  priced_calls: z.int(),
  hits: z.int(),
  joined: z.int(),
  input_tokens: z.int(),
  output_tokens: z.int(),
  cache_read_tokens: z.int(),
  cache_write_tokens: z.int(),
  cost_micros: z.int(),
});
type Sums = z.output<typeof Sums>;

const OfCourse = Sums.extend({ course_id: z.int(), code: z.string(), title: z.string() });
const OfDay = Sums.extend({ date: CalendarDate });
const Row = z.object({
  ...BehindSinceColumn,
  calls_estimated: z.int(),
  total: Sums,
  courses: z.array(OfCourse),
  days: z.array(OfDay),
});

type Figures = Omit<
  TutorReport,
  keyof ReportPeriod | "as_of" | "calls_estimated" | "daily" | "per_course_breakdown"
>;

/**
 * Cost of answers and savings from sharing, for all universities or those that the actor administers. 403 for
 * non-administrators, 404 without the university.
 */
export async function tutorReport(db: ReadDb, actor: Actor, about: About): Promise<TutorReport> {
  if (about.university_id)
    await ensureAllowedInUniversity(db, actor, "tutor-report:read", about.university_id);
  else if (!actor.roles.some((role) => can([role], "tutor-report:read", role))) throw forbidden();
  const [row] = await rowsOf(db, Row, statementOf(actor, about));
  if (!row) throw new Error("an aggregate returned no row");
  const { date_from, date_to } = about;
  const { behind_since, calls_estimated } = row;
  const figuresTo = (lastDay: string, sums: Sums) => ({
    ...figuresOf(sums, row.total),
    ...(nullIfDayNotCounted(behind_since, lastDay, true) === null && uncounted),
  });
  const ofDay = new Map(row.days.map(({ date, ...sums }) => [date, sums]));
  return {
    date_from,
    date_to,
    ...asOfField(behind_since),
    ...figuresTo(date_to, row.total),
    calls_estimated,
    daily: daysOf(about, [...ofDay.keys()]).map((date) => ({
      date,
      ...figuresTo(date, ofDay.get(date) ?? nothing),
    })),
    per_course_breakdown: row.courses.map(({ course_id, code, title, ...sums }) => ({
      course_id,
      code,
      title,
      ...figuresTo(date_to, sums),
    })),
  };
}

const nothing: Sums = {
  calls: 0,
  priced_calls: 0,
  hits: 0,
  joined: 0,
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  cost_micros: 0,
};

/** Calls are rows. Answers without a call are counted by day. */
const uncounted = { hits: null, joined: null, calls_saved: null, cost_saved_micros: null };

/** A saved call costs the mean of the calls made, or of the whole report without any. */
function figuresOf({ priced_calls, ...sums }: Sums, all: Sums): Figures {
  const mean = meanCost({ priced_calls, ...sums }) ?? meanCost(all);
  const saved = sums.hits + sums.joined;
  return {
    ...sums,
    calls_without_price: sums.calls - priced_calls,
    calls_saved: saved,
    cost_saved_micros: mean === undefined ? null : Math.round(saved * mean),
  };
}

const meanCost = ({ priced_calls, cost_micros }: Sums): number | undefined =>
  priced_calls > 0 ? cost_micros / priced_calls : undefined;

/** If the period is too long, from the first to the last day with a figure. */
function daysOf(period: ReportPeriod, dates: string[]): string[] {
  const sorted = dates.toSorted();
  const [first, last] = hasEveryDayListed(period)
    ? [period.date_from, period.date_to]
    : [sorted[0], sorted.at(-1)];
  const days: string[] = [];
  if (first && last) for (let day = last; day >= first; day = daysBefore(day, 1)) days.push(day);
  return days.reverse();
}

const sumNames = Object.keys(Sums.shape);

const sums = sql.raw(sumNames.map((name) => `coalesce(sum(${name}), 0)::float8 as ${name}`).join(", "));

/**
 * Calls have rows; answers without one come from the totals. Periods over a year use monthly sums, except for
 * one course, which has few rows. Courses are joined after grouping.
 */
function statementOf(actor: Actor, { university_id, course_id, skip, limit, ...period }: About): SQL {
  const within = (
    university: SQL,
    course?: SQL,
  ): SQL => sql`${permissionCondition(actor, "tutor-report:read", university)}
    ${university_id ? sql`and ${university} = ${university_id}` : sql``}
    ${course_id && course ? sql`and ${course} = ${course_id}` : sql``}`;
  const isSummed = isOverAYear(period) && course_id === undefined;
  const university = oneUniversity({ university_id, course_id });
  const parts = (isSummed ? sqlPeriodsOutsideWholeMonths(period) : [period]).map((days) =>
    linesOf(days, university, within),
  );
  const ofWhole = (table: SQL, moment: SQL, day: SQL, course: SQL) => sql`
    select ${course} as course_id, ${day} as day, ${sql.raw(sumNames.join(", "))} from ${table}
    where ${wholeMonthCondition(moment)} and ${within(sql`university_id`)}`;
  const [months, days] = isSummed
    ? [
        sql`union all ${ofWhole(sql`tutor_report_months`, sql`month`, sql`null::date`, sql`nullif(course_id, 0)`)}`,
        sql`union all ${ofWhole(sql`tutor_report_days`, sql`day`, sql`day`, sql`null::int`)}`,
      ]
    : [sql``, sql``];
  return sql`
    with ${isSummed ? sql`${wholeMonthsOfTotalsCte(period)},` : sql``}
    line as materialized (${sql.join(parts, sql` union all `)}),
    of_course as materialized (
      select course_id, ${sums} from (select * from line ${months}) as one group by course_id)
    select ${answersBehindSinceSql(university)},
           (select count(*)::int from llm_calls as call
            where usage_estimated and purpose not in ('trial', 'embedding') and ${startedIn(period)}
              and ${within(sql`call.university_id`, sql`call.course_id`)}) as calls_estimated,
           (select row_to_json(one) from (select ${sums} from of_course) as one) as total,
           (select coalesce(json_agg(one order by one.course_id), '[]') from (
              select courses.code, courses.title, of_course.*
              from of_course join courses on courses.id = of_course.course_id
              order by course_id offset ${skip} limit ${limit}) as one) as courses,
           (select coalesce(json_agg(one), '[]') from (
              select day as date, ${sums} from (select * from line ${days}) as one group by day) as one) as days`;
}

/** Also for a course; undefined if the report covers several universities. */
function oneUniversity({
  university_id,
  course_id,
}: Pick<About, "university_id" | "course_id">): SQL | undefined {
  if (university_id) return sql`${university_id}`;
  return course_id ? sql`(select university_id from courses where id = ${course_id})` : undefined;
}

const startedIn = ({ date_from, date_to }: SqlPeriod): SQL =>
  sql`call.started_at >= utc_midnight(${date_from}::date) and call.started_at < utc_midnight(${date_to}::date + 1)`;

/** Calls and answers of these days, by course and day. */
const linesOf = (
  days: SqlPeriod,
  university: SQL | undefined,
  within: (university: SQL, course: SQL) => SQL,
): SQL => sql`
  select call.course_id, utc_day(call.started_at) as day, sum(calls) as calls, sum(priced_calls) as priced_calls,
         0 as hits, 0 as joined, sum(input_tokens) as input_tokens, sum(output_tokens) as output_tokens,
         sum(cache_read_tokens) as cache_read_tokens, sum(cache_write_tokens) as cache_write_tokens,
         sum(cost_micros) as cost_micros
  from tutor_call_facts as call
  where ${startedIn(days)}
    and ${within(sql`call.university_id`, sql`call.course_id`)}
  group by 1, 2
  union all
  select courses.id, utc_day(saved.moment), 0, 0, sum(saved.amount) filter (where saved.measure = 'hits'),
         sum(saved.amount) filter (where saved.measure = 'joined'), 0, 0, 0, 0, 0
  from courses join ${dailyAndCurrentTotalsSql("answers", ["hits", "joined"], { period: days, university })} as saved on saved.course_id = courses.id
  where ${within(sql`courses.university_id`, sql`courses.id`)}
  group by 1, 2`;
