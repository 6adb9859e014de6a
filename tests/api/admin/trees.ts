import { sql } from "drizzle-orm";
import type { Db } from "../../../lib/db/client.ts";

/**
 * People's trees of a course by their definition: those completed in the period, and those that were begun, were not
 * complete when it ended, and had been left alone in its last 14 days.
 */
export async function treesAt(db: Db, course: number, from: string, to: string) {
  const { rows } = await db.execute<{ completed: number; interrupted: number }>(sql`
    with stretch as (
      select utc_midnight(${from}::date) as from, utc_midnight(${to}::date + 1) as until
    ), published as (
      select array_agg(id) as modules from modules where course_id = ${course} and is_published
    ), tree as (
      select course_offering_id, user_id,
             count(*) filter (where completed_at < until) = cardinality(modules) as is_whole,
             greatest(max(started_at), max(completed_at) filter (where completed_at < until)) as touched_at
      from published, stretch, user_module_progress
      where module_id = any(modules) and started_at < until
        and course_offering_id in (select id from course_offerings where course_id = ${course})
      group by course_offering_id, user_id, modules
    )
    select count(*) filter (where is_whole and touched_at >= stretch.from and touched_at < until)::int as completed,
           count(*) filter (where not is_whole and touched_at < until - interval '14 days' and not exists (
             select from activity_events as event
             where event.course_offering_id = tree.course_offering_id and event.user_id = tree.user_id
               and occurred_at >= until - interval '14 days' and occurred_at < until
           ))::int as interrupted
    from tree, stretch`);
  if (!rows[0]) throw new Error("a count has no row");
  return rows[0];
}
