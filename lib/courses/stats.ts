import { type SQL, sql } from "drizzle-orm";
import { CourseStats } from "../../schema/api/courses.ts";
import type { Actor } from "../auth/actor.ts";
import type { Db } from "../db/client.ts";
import { rowsOf } from "../db/rows.ts";
import { refuseCourse } from "./courses.ts";
import { staffOfCourse } from "./visibility.ts";

/** How a course is doing, in one read; for its staff. */
export async function courseStats(db: Db, actor: Actor, courseId: number): Promise<CourseStats> {
  const statement = sql`
    with enrolled as materialized (${enrolled(courseId)}),
    item as materialized (select * from counting_items(${courseId}))
    select courses.id as course_id, counted.*, progressed.*, reviewed.*, chatted.*,
           (select count(*)::int from course_offerings where course_id = courses.id) as offerings,
           (select count(*)::int from modules where course_id = courses.id) as modules,
           (select count(*)::int from content_items where course_id = courses.id) as content_items
    from courses, lateral (${counted}) as counted, lateral (${progressed}) as progressed,
         lateral (${reviewed}) as reviewed, lateral (${chatted}) as chatted
    where courses.id = ${courseId} and ${staffOfCourse(actor)}`;
  const [stats] = await rowsOf(db, CourseStats, statement);
  return stats ?? refuseCourse(db, actor, courseId);
}

/**
 * Everyone of the course, read once: so the database joins their progress in one go, and not person by person. Whoever
 * says that they have completed it is as before, as in all reports.
 */
const enrolled = (courseId: number): SQL => sql`
  select user_id, course_offering_id, case when completion_source = 'self' then 'active' else status end as status
  from enrollments join course_offerings on course_offerings.id = course_offering_id
  where course_id = ${courseId}`;

/** Who waits, or is not yet admitted, never had a seat and does not lower the completion rate. */
const counted: SQL = sql`
  select json_build_object(
           'ACTIVE', count(*) filter (where status = 'active'),
           'COMPLETED', count(*) filter (where status = 'completed'),
           'DROPPED', count(*) filter (where status = 'dropped'),
           'PENDING', count(*) filter (where status = 'pending'),
           'WAITLISTED', count(*) filter (where status = 'waitlisted')) as enrollment_counts_by_status,
         (count(*) filter (where status = 'completed'))::float8
           / nullif(count(*) filter (where status in ('active', 'completed', 'dropped')), 0) as completion_rate
  from enrolled`;

/**
 * Over the items that count (schema/functions/progress.sql). Content that someone has not begun counts as 0 for them:
 * what is not there need not be joined to be counted.
 */
const progressed: SQL = sql`
  select (begun.percent / nullif(learners.number * items.number, 0))::float8 as average_progress_percent
  from (select count(*) as number from enrolled where status in ('active', 'completed')) as learners,
       (select count(*) as number from item) as items,
       (select coalesce(sum(counted_percent(progress_percent, completed_at, by_result)), 0) as percent
        from enrolled join user_content_progress using (user_id, course_offering_id)
        join item on item.item_id = content_item_id
        where status in ('active', 'completed')) as begun`;

const reviewed: SQL = sql`
  select avg(rating)::float8 as average_rating, count(*)::int as reviews
  from course_reviews join course_offerings on course_offerings.id = course_offering_id
  where course_offerings.course_id = courses.id`;

/** The tree's hits among all answers on shared paths. */
const chatted: SQL = sql`
  select count(distinct chat_sessions.id)::int as chat_sessions, count(message.id)::int as chat_messages,
         (count(*) filter (where message.on_shared_path and message.meta ->> 'source' = 'cache'))::float8
           / nullif(count(*) filter (where message.on_shared_path), 0) as cache_hit_rate
  from content_items
  join chat_sessions on chat_sessions.content_item_id = content_items.id
  left join chat_messages as message on message.session_id = chat_sessions.id
  where content_items.course_id = courses.id`;
