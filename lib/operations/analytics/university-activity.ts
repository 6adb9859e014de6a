import { type SQL, sql } from "drizzle-orm";
import type { UniversityReportQuery } from "../../../schema/api/operations/analytics.ts";
import {
  activityMonthInWholeMonthsCondition,
  firstInWholeMonthsCondition,
  isOverAYear,
  monthlyActivitySumsSql,
  wholeMonthsQuery,
} from "./monthly-activity.ts";
import { daysBefore, type ReportPeriod } from "./period.ts";
import { momentInPeriodCondition } from "./totals.ts";
import {
  requestedDayCondition,
  requestedSqlPeriod,
  requestedSqlPeriodWithoutEdgeDays,
  type UniversityReportPeriod,
} from "./university-period.ts";

type Scope = Pick<UniversityReportQuery, "department_id" | "offering_id">;

/**
 * In a statement with offerings `run (id, course_id)` and days `asked`. `parts` are CTEs; `person_day
 * (user_id, course_id, day, questions)` covers at least the last 30 days of the period. The others read from
 * them: `users` is a count, `byDay` rows of `day` and `amount`, `ofCourses` rows of `(course_id, name,
 * amount)` for `questions` and `people`.
 */
type Active = { parts: SQL; users: SQL; byDay: SQL; ofCourses: SQL };

/**
 * Reads events up to a year. Beyond that, daily totals for a department and monthly sums for a university.
 * Offerings are short, so their events are read.
 */
export function activePeopleQueries(
  universityId: number,
  { period, around }: UniversityReportPeriod,
  scope: Scope,
): Active {
  if (!isOverAYear(period) || scope.offering_id !== undefined)
    return byDays(eventsOf(universityId, around, scope));
  if (scope.department_id !== undefined)
    return byDays(
      sql`${keptDays(universityId, { date_from: sql`least(${requestedSqlPeriod.date_from}, ${requestedSqlPeriod.date_to} - 29)`, date_to: requestedSqlPeriod.date_to })}
        where course_id in (select course_id from run) group by 1, 2, 3`,
    );
  return byMonths(universityId);
}

/** Distinct people in the days that end with the period. */
export const activePeopleInLastDaysSql = (days: number): SQL => sql`(
  select count(distinct user_id)::int from person_day
  where day > ${requestedSqlPeriod.date_to} - ${days}::int and day <= ${requestedSqlPeriod.date_to})`;

/** The period and the 30 days for monthly users. */
function withLastMonth({ date_from, date_to }: ReportPeriod): ReportPeriod {
  const month = daysBefore(date_to, 33);
  return { date_from: month < date_from ? month : date_from, date_to };
}

const isOfPeriod = requestedDayCondition(sql`day`);

const byDays = (days: SQL): Active => ({
  parts: sql`person_day as materialized (${days})`,
  users: sql`(select count(distinct user_id)::int from person_day where ${isOfPeriod})`,
  byDay: sql`select day, count(distinct user_id) as amount from person_day group by 1`,
  ofCourses: sql`
    select course_id, 'questions', sum(questions) from person_day where ${isOfPeriod} group by 1
    union all
    select course_id, 'people', count(distinct user_id) from person_day where ${isOfPeriod} group by 1`,
});

function eventsOf(universityId: number, around: ReportPeriod, { department_id, offering_id }: Scope): SQL {
  const isPart = department_id !== undefined || offering_id !== undefined;
  return sql`
    select event.user_id, run.course_id, day_in_zone(event.occurred_at, zone.time_zone, zone.past_day) as day,
           count(*) filter (where event.verb = 'asked') as questions
    from activity_events as event
    left join university_zones as zone on zone.university_id = ${universityId}
      and event.occurred_at >= zone.starts_at and event.occurred_at < zone.ends_at
    ${isPart ? sql`join` : sql`left join`} run on run.id = event.course_offering_id
    where event.university_id = ${universityId} and ${momentInPeriodCondition(sql`event.occurred_at`, withLastMonth(around))}
    group by 1, 2, 3`;
}

/** Without conditions and grouping. Topic activity without an offering counts for its course. */
const keptDays = (universityId: number, { date_from, date_to }: { date_from: SQL; date_to: SQL }): SQL => sql`
  select user_id, course_id, coalesce(local_day, day) as day,
         sum(questions) filter (where content_item_id is not null) as questions
  from daily_activity_of_university(${universityId}::int, ${date_from}, ${date_to})`;

/**
 * Looks up people of the partial months individually; a join would read everyone's months. Whole months are
 * in UTC and inside the period in any time zone. The days around them, and daily counts, follow the
 * university's time zone.
 */
function byMonths(universityId: number): Active {
  const wasActive = (where: SQL) => sql`coalesce((
    select true from activity_months as active
    where active.user_id = around.user_id and active.content_item_id is null and ${where} and ${activityMonthInWholeMonthsCondition}
    limit 1), false)`;
  // No join of courses, which would look each person up in every course.
  const isOfUniversity = sql`(select university_id from courses where id = active.course_id) = ${universityId}`;
  const isListed = sql`course_id in (select course_id from run)`;
  const ofUniversity = (measure: "university_people" | "university_people_by_day") =>
    sql`${monthlyActivitySumsSql([measure])} and university_id = ${universityId}`;
  const first = sql`(select first from whole)`;
  const past = sql`(select past from whole)`;
  const isBefore = sql`(day < ${first} or coalesce(local_day, day) < ${first})`;
  const ofDays = (date_from: SQL, date_to: SQL, where: SQL) => sql`
    select user_id, course_id, day, coalesce(local_day, day) as local_day,
           sum(questions) filter (where content_item_id is not null) as questions
    from daily_activity_of_university(${universityId}::int, ${date_from}, ${date_to}) where ${where} group by 1, 2, 3, 4`;
  return {
    parts: sql`
      whole as materialized (${wholeMonthsQuery(requestedSqlPeriodWithoutEdgeDays)}),
      person_day as materialized (
        ${keptDays(universityId, { date_from: sql`${requestedSqlPeriod.date_to} - 29`, date_to: requestedSqlPeriod.date_to })} group by 1, 2, 3
      ),
      edge as materialized (
        ${ofDays(requestedSqlPeriod.date_from, first, isBefore)}
        union all
        ${ofDays(sql`${past} - 1`, requestedSqlPeriod.date_to, sql`not ${isBefore}`)}
      ),
      around as materialized (select * from edge where day < ${first} or day >= ${past}),
      seen as materialized (
        select course_id, user_id, ${wasActive(sql`active.course_id = around.course_id`)} as is_counted
        from (select distinct course_id, user_id from around) as around
      )`,
    users: sql`(
      select coalesce(sum(amount), 0)::int from (
        select count(*) as amount
        from (select user_id from seen group by 1 having not bool_or(is_counted)) as around
        where not ${wasActive(isOfUniversity)}
        union all
        select amount from ${ofUniversity("university_people")} and ${firstInWholeMonthsCondition}
      ) as one)`,
    byDay: sql`
      select local_day as day, count(distinct user_id) as amount from edge
      where local_day < ${first} or local_day >= ${past} group by 1
      union all
      select since, sum(amount) from ${ofUniversity("university_people_by_day")} group by 1`,
    ofCourses: sql`
      select course_id, 'questions', sum(questions) from around where ${isListed} group by 1
      union all
      select course_id, 'questions', amount from ${monthlyActivitySumsSql(["questions"])} and ${isListed}
      union all
      select course_id, 'people', count(*) from seen where not is_counted and ${isListed} group by 1
      union all
      select course_id, 'people', amount from ${monthlyActivitySumsSql(["people"])} and ${firstInWholeMonthsCondition} and ${isListed}`,
  };
}
