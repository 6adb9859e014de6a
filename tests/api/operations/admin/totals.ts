import { sql } from "drizzle-orm";
import { expect } from "vitest";
import { recomputeStaleCourseProgress } from "../../../../lib/courses/course-progress/recount.ts";
import { interruptedLearnerCountsByCourseSql } from "../../../../lib/operations/analytics/interrupted-progress.ts";
import { requestRollUpRebuild, rollUpReportData } from "../../../../lib/operations/analytics/roll-up.ts";
import { countedFactsSql } from "../../../../lib/operations/analytics/totals.ts";
import type { Db } from "../../../../lib/platform/db/client.ts";

export type Total = {
  measure: string;
  course_id: number | null;
  day: string | null;
  since: string | null;
  amount: string;
};

/**
 * All sources of reports, per course and in total: fact rows; people by day of activity and the day before;
 * trees by the day on which an interruption began or ended.
 */
const everything = sql`
  with person_day as (
    select 'people' as measure, null::int as course_id, 0 as target, user_id, day from activity
    union
    select 'course_people', course_id, course_id, user_id, day from activity
    where course_id in (select id from courses)
    union
    select 'topic_people', course_id, content_item_id, user_id, day from activity where content_item_id is not null
    union
    select 'tutor_people', course_id, content_item_id, user_id, day from activity
    where content_item_id is not null and questions > 0
  ), calendar as (
    select day::date from generate_series(
      (select min(begun_on) from trees)::timestamp,
      (select max(day) + 15 from (select max(upper(fresh_on)) as day from trees union all select day from activity) as one),
      interval '1 day') as one (day)
  ), interrupted as (
    select calendar.day, tree.course_id, tree.amount
    from calendar cross join lateral ${interruptedLearnerCountsByCourseSql(sql`calendar.day`)} as tree
  ), fact (measure, course_id, day, since, amount) as (
    select measure, course_id, utc_day(moment), utc_day(since), amount from ${countedFactsSql}
    union all
    select measure, course_id, utc_day(moment), null, amount from uncounted_answers_unless_too_many(null)
    union all
    select measure, course_id, utc_day(moment), utc_day(since), amount from learning_facts where moment is not null
    union all
    select 'trees_completed', course_id, completed_on, null, 1 from trees
    union all
    select measure, course_id, null, null, amount from enrollment_facts
    union all
    select measure, course_id, null, null, amount from community_facts
    union all
    select measure, course_id, utc_day(moment), null, amount from assessment_facts where moment is not null
    union all
    select measure, course_id, utc_day(moment), null, amount from conversation_facts
    union all
    select measure, course_id, day, lag(day) over (partition by measure, target, user_id order by day), 1 from person_day
    union all
    select 'topic_milliseconds', course_id, day, null, milliseconds from activity where content_item_id is not null
    union all
    select 'tutor_questions', course_id, day, null, questions from activity where content_item_id is not null
    union all
    select 'trees_interrupted', course_id, day + after, null, case after when 0 then amount else -amount end
    from interrupted cross join (values (0), (1)) as turn (after)
    where day + after <= (select max(day) from calendar)
  )
  select measure, course_id, day::text, since::text, trim_scale(sum(amount)) as amount from fact
  group by grouping sets ((measure, course_id, day, since), (measure, day, since))
  having sum(amount) <> 0 and (course_id is not null or grouping(course_id) = 1)
  order by 1, 2, 3, 4`;

/**
 * The totals of reports once everything is counted. They are the same before, as reports then read the trees
 * that an edited outline affects.
 */
export async function readTotals(db: Db): Promise<Total[]> {
  await recomputeStaleCourseProgress(db);
  const { rows: read } = await db.execute<Total>(everything);
  const { rows } = await db.execute<{ has_too_much_uncounted_activity: boolean }>(
    sql`select has_too_much_uncounted_activity(null)`,
  );
  await rollUpReportData(db);
  const { rows: counted } = await db.execute<Total>(everything);
  if (!rows[0]?.has_too_much_uncounted_activity) expect(read).toEqual(counted);
  return counted;
}

/** Recomputed from all rows. */
export async function recountTotals(db: Db): Promise<Total[]> {
  await requestRollUpRebuild(db);
  return readTotals(db);
}
