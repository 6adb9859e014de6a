import { type SQL, sql } from "drizzle-orm";
import type { SqlPeriod } from "./totals.ts";

/*
 * Progress is aggregated by course and day (schema/functions/operations/course-progress-report.sql). Reports
 * read whole months, the days around them, and trees that may have changed since or had activity.
 */

const monthOf = (day: SQL): SQL => sql`date_trunc('month', ${day})::date`;

const ofCourse = (column: SQL, courseId: number | undefined): SQL =>
  courseId ? sql`and ${column} = ${courseId}` : sql``;

/**
 * Trees that may differ from the totals, as `tree` and `sign`: as stored (-1) and as they are now (1). None
 * if computing them takes too long for a request.
 */
export const staleProgressCorrectionsSql = (courseId: number | undefined): SQL => {
  const ofCourse = courseId === undefined ? sql`` : sql`course_id = ${courseId} and`;
  const stale = sql`stale_course_trees where ${ofCourse} not (select has_too_much_uncounted_activity(${courseId ?? null}::int))`;
  return sql`(
    select kept as tree, -1 as sign
    from (select distinct course_offering_id, user_id from ${stale}) as stale
    join course_trees as kept using (course_offering_id, user_id)
    union all
    select tree, 1 from (
      select course_offering_id, array_agg(distinct user_id) as people from ${stale} group by course_offering_id
    ) as stale cross join lateral course_progress_dates_of_people(stale.course_offering_id, stale.people) as tree
  ) as changed`;
};

/** A tree is started, incomplete at the end of a day, and without progress for 14 days. */
export const interruptedProgressCondition = (tree: SQL, day: SQL): SQL => sql`(
  (${tree}).begun_on <= ${day} and ((${tree}).completed_on is null or (${tree}).completed_on > ${day})
  and not (${tree}).fresh_on @> ${day})`;

/**
 * By course (`course_id`, `amount`) at a day's end: begun, incomplete, and without activity in the tree or
 * offering for 14 days.
 */
export const interruptedLearnerCountsByCourseSql = (day: SQL, courseId?: number): SQL => sql`(
  select course_id, sum(amount) as amount from (
    select course_id, interrupted as amount from tree_totals as total
    where total.is_month and total.day < ${monthOf(day)} ${ofCourse(sql`course_id`, courseId)}
    union all
    select course_id, interrupted from tree_totals as total
    where not total.is_month and total.day >= ${monthOf(day)} and total.day <= ${day} ${ofCourse(sql`course_id`, courseId)}
    union all
    select (changed.tree).course_id, changed.sign from ${staleProgressCorrectionsSql(courseId)}
    where ${interruptedProgressCondition(sql`changed.tree`, day)} and not exists (
      select from activity_events as event
      where (event.course_offering_id, event.user_id) = ((changed.tree).course_offering_id, (changed.tree).user_id)
        and ${isRecent(sql`event.occurred_at`, day)})
    union all
    select tree.course_id, -1 from (
      select distinct event.course_offering_id, event.user_id from activity_events as event
      ${courseId ? sql`join course_offerings as run on run.id = event.course_offering_id and run.course_id = ${courseId}` : sql``}
      where ${isRecent(sql`event.occurred_at`, day)}
    ) as active join course_trees as tree using (course_offering_id, user_id)
    where ${interruptedProgressCondition(sql`tree`, day)}
  ) as one group by course_id)`;

/** The date is in the 14 days that end with a day. */
const isRecent = (moment: SQL, day: SQL): SQL =>
  sql`${moment} >= utc_midnight(${day} - 13) and ${moment} < utc_midnight(${day} + 1)`;

/** By course in a period (`course_id`, `amount`). */
export const completedLearnerCountsByCourseSql = (
  { date_from, date_to }: SqlPeriod,
  courseId?: number,
): SQL => {
  const first = sql`date_trunc('month', ${date_from}::date + interval '1 month' - interval '1 day')::date`;
  const past = sql`greatest(${first}, date_trunc('month', ${date_to}::date + interval '1 day')::date)`;
  const within = sql`between ${date_from}::date and ${date_to}::date`;
  return sql`(
    select course_id, sum(amount) as amount from (
      select course_id, completed as amount from tree_totals as total
      where total.is_month and total.day >= ${first} and total.day < ${past} ${ofCourse(sql`course_id`, courseId)}
      union all
      select course_id, completed from tree_totals as total
      where not total.is_month and total.day >= ${date_from}::date and total.day < least(${first}, ${date_to}::date + 1)
        ${ofCourse(sql`course_id`, courseId)}
      union all
      select course_id, completed from tree_totals as total
      where not total.is_month and total.day >= ${past} and total.day <= ${date_to}::date ${ofCourse(sql`course_id`, courseId)}
      union all
      select (changed.tree).course_id, changed.sign from ${staleProgressCorrectionsSql(courseId)}
      where (changed.tree).completed_on ${within}
    ) as one group by course_id)`;
};
