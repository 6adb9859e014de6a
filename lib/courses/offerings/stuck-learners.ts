import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { stuckAfterDays } from "../../../schema/api/courses/stuck.ts";
import { nonAnonymousActivityCondition } from "../activity/shown.ts";

/** Stuck learners have been inactive since then. */
export const stuckLearnerCutoffSql = (now: Date): SQL =>
  sql`${now.toISOString()}::timestamptz - make_interval(days => ${stuckAfterDays})`;

/**
 * Learners who have not completed the offering, and are inactive since then or, without any activity,
 * enrolled before. Reads one row of each table per person, independent of activity and class size.
 */
export const stuckLearnersSql = (offering: SQLWrapper, since: SQL): SQL => sql`(
  with taking as materialized (
    select one.user_id, one.enrolled_at, kept.progress_percent
    from enrollments as one
    left join enrollment_progress as kept
      on kept.user_id = one.user_id and kept.course_offering_id = one.course_offering_id
    where one.course_offering_id = ${offering} and one.status = 'active'
      and coalesce(kept.progress_percent, 0) < 100
  ), idle as materialized (
    select taking.*, (
      select max(event.occurred_at) from activity_events as event
      where event.course_offering_id = ${offering} and event.user_id = taking.user_id and ${nonAnonymousActivityCondition(sql`event`)}) as moment
    from taking
  )
  select idle.user_id, coalesce(idle.progress_percent, own.progress_percent) as progress_percent,
         idle.moment as last_activity_at
  from idle
  left join course_progress_of_people(${offering}, array(select idle.user_id from idle where idle.progress_percent is null)) as own
    on own.user_id = idle.user_id
  where coalesce(idle.moment, idle.enrolled_at) < ${since}
    and coalesce(idle.progress_percent, own.progress_percent) < 100
    and (select users.erased_at is null from users where users.id = idle.user_id))`;
