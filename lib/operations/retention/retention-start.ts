import { type SQL, sql } from "drizzle-orm";

/**
 * The end of a row's offering, else of the user's last offering of the course. Without an end, their last
 * activity in the course. Null without a course. 0 matches nothing.
 */
export const retentionStartSql = (person: SQL, offering: SQL, course: SQL): SQL => sql`(
  select coalesce(
    case when ${offering} > 0 then (select ends_at from offering_ends where course_offering_id = ${offering}) else (
      select case when bool_and(ending is not null) then max(ending) end from (
        select ended.ends_at as ending
        from enrollments as held join course_offerings as run on run.id = held.course_offering_id
        join offering_ends as ended on ended.course_offering_id = run.id
        where held.user_id = ${person} and run.course_id = ${course}) as seat) end,
    (select max(moment) from (
      select done.moment from course_offerings as run cross join lateral (
        (select occurred_at as moment from activity_events
         where course_offering_id = run.id and user_id = ${person} order by occurred_at desc limit 1)
        union all
        select max(last_interacted_at) from user_content_progress
        where user_id = ${person} and course_offering_id = run.id
        union all
        select max(greatest(started_at, submitted_at)) from quiz_attempts
        where user_id = ${person} and course_offering_id = run.id
        union all
        select max(greatest(started_at, committed_at)) from scorm_attempts
        where user_id = ${person} and course_offering_id = run.id
        union all
        select max(submitted_at) from lab_submissions where user_id = ${person} and course_offering_id = run.id
      ) as done where run.course_id = one.course_id
      union all
      select (select max(created_at) from chat_messages where session_id = talk.id)
      from chat_sessions as talk join content_items as item on item.id = talk.content_item_id
      where talk.user_id = ${person} and item.course_id = one.course_id
    ) as act))
  from (
    select case when ${offering} > 0 then (select course_id from course_offerings where id = ${offering}) else ${course} end as course_id
  ) as one
  where ${offering} > 0 or ${course} > 0)`;
