import { sql } from "drizzle-orm";
import type { Db } from "../../../../lib/platform/db/client.ts";

/**
 * Course trees by definition. Completed: in the period. Interrupted: started, incomplete at its end and
 * inactive in its last 14 days. A module is complete with its last item or, without items, when posted. These
 * modules are not nested.
 */
export async function courseProgressAt(db: Db, course: number, from: string, to: string) {
  const { rows } = await db.execute<{ completed: number; interrupted: number }>(sql`
    with stretch as (
      select utc_midnight(${from}::date) as from, utc_midnight(${to}::date + 1) as until
    ), done as (
      select course_offering_id, user_id, module_id, item.id, first_started_at as started_at,
             case when completed_at is not null then greatest(first_started_at, completed_at) end as completed_at
      from user_content_progress join content_items as item on item.id = content_item_id and item.is_active
    ), person as (
      select course_offering_id, user_id from user_module_progress
      union select course_offering_id, user_id from done
    ), walked as (
      select person.course_offering_id, person.user_id,
             least(posted.started_at, min(done.started_at)) as started_at,
             case when count(item.id) = 0 and posted.completed_at is not null
                    then greatest(posted.started_at, posted.completed_at)
                  when count(item.id) = count(done.completed_at) then max(done.completed_at) end as completed_at,
             array_agg(done.started_at) || array_agg(done.completed_at) || posted.started_at as touches
      from person
      join course_offerings as run on run.id = course_offering_id and run.course_id = ${course}
      join modules as module on module.course_id = run.course_id and module.is_published
      left join content_items as item on item.module_id = module.id and item.is_active
      left join done on done.id = item.id and done.user_id = person.user_id and done.course_offering_id = run.id
      left join user_module_progress as posted on posted.module_id = module.id
        and posted.user_id = person.user_id and posted.course_offering_id = run.id
      group by person.course_offering_id, person.user_id, module.id, posted.started_at, posted.completed_at
    ), tree as (
      select course_offering_id, user_id, min(started_at) as begun_at,
             case when bool_and(completed_at is not null) then max(completed_at) end as whole_at
      from walked group by course_offering_id, user_id
    ), touched as (
      select course_offering_id, user_id, touch
      from walked cross join lateral unnest(touches || completed_at) as touch
      union all
      select course_offering_id, user_id, occurred_at from activity_events
    )
    select count(*) filter (where whole_at >= stretch.from and whole_at < until)::int as completed,
           count(*) filter (where begun_at < until and (whole_at is null or whole_at >= until) and not exists (
             select from touched
             where touched.course_offering_id = tree.course_offering_id and touched.user_id = tree.user_id
               and touch >= until - interval '14 days' and touch < until
           ))::int as interrupted
    from tree, stretch`);
  if (!rows[0]) throw new Error("a count has no row");
  return rows[0];
}
