import { sql } from "drizzle-orm";

/**
 * By how long the oldest work of the schedule is overdue, as `of` and `seconds`; 0 if none is. `counts` may take
 * until three in the morning. A lease or night of more than a week ago is a former deployment's.
 */
export const scheduleLagQuery = sql`
  select of, greatest(0, coalesce(extract(epoch from service_now() - min(due)), 0))::float8 as seconds
  from (
    select 'mail' as of, waiting.due_at as due
    from (values (true), (false)) as turn (is_notification) cross join lateral (
      select due_at from mail_outbox where ended_at is null and (kind = 'notifications') = is_notification
      order by due_at limit 1) as waiting
    union all
    select 'attempts', min(due_at) + quiz_submission_grace_period() from quiz_attempts where submitted_at is null
    union all
    select 'files', min(completed_at) from files where state = 'checking'
    union all
    select 'counts', begun_at + interval '27 hours' from scheduled_tasks where name = 'count' and begun_at > '2000-01-01'
    union all
    select 'night', begun_at + interval '1 day' from scheduled_tasks
    where name = 'prune' and begun_at > service_now() - interval '8 days'
    union all
    select 'lease', held_until from scheduled_tasks
    where name = 'schedule' and held_until > service_now() - interval '7 days'
  ) as work
  group by of`;
