import { type SQL, sql } from "drizzle-orm";
import { CourseStats } from "../../schema/api/courses/courses.ts";
import type { ReportMeasure } from "../../schema/enums.ts";
import type { Actor } from "../identity/auth/actor.ts";
import type { ReadDb } from "../platform/db/client.ts";
import { rowsOf } from "../platform/db/query/rows.ts";
import { courseStaffCondition } from "./course-permissions.ts";
import { explainCourseRefusal } from "./courses.ts";

/** In one statement, for the course's staff. */
export async function readCourseStats(db: ReadDb, actor: Actor, courseId: number): Promise<CourseStats> {
  const statement = sql`
    with enrolled as not materialized (${enrolled(courseId)}),
    standing as materialized (select status, count(*)::int as people from enrolled group by status),
    item as materialized (select * from published_items_of_course(${courseId}))
    select courses.id as course_id, counted.*, progressed.*, reviewed.*, chatted.*,
           (select count(*)::int from course_offerings where course_id = courses.id) as offerings,
           (select count(*)::int from modules where course_id = courses.id) as modules,
           (select count(*)::int from content_items where course_id = courses.id) as content_items
    from courses, lateral (${counted}) as counted, lateral (${progressed}) as progressed,
         lateral (${reviewed}) as reviewed, lateral (${chatted}) as chatted
    where courses.id = ${courseId} and ${courseStaffCondition(actor)}`;
  const [stats] = await rowsOf(db, CourseStats, statement);
  return stats ?? explainCourseRefusal(db, actor, courseId);
}

/** A completion that the learner reported counts as active, as in all reports. */
const enrolled = (courseId: number): SQL => sql`
  select user_id, course_offering_id, case when completion_source = 'self' then 'active' else status end as status
  from enrollments join course_offerings on course_offerings.id = course_offering_id
  where course_id = ${courseId}`;

/** Waiting people and those not yet admitted do not lower the completion rate. */
const counted: SQL = sql`
  select json_build_object(
           'ACTIVE', coalesce(sum(people) filter (where status = 'active'), 0),
           'COMPLETED', coalesce(sum(people) filter (where status = 'completed'), 0),
           'DROPPED', coalesce(sum(people) filter (where status = 'dropped'), 0),
           'PENDING', coalesce(sum(people) filter (where status = 'pending'), 0),
           'WAITLISTED', coalesce(sum(people) filter (where status = 'waitlisted'), 0)) as enrollment_counts_by_status,
         coalesce(sum(people) filter (where status = 'completed'), 0)::float8
           / sum(people) filter (where status in ('active', 'completed', 'dropped')) as completion_rate
  from standing`;

/**
 * Average over the items that count (schema/functions/courses/progress.sql). Items not begun count as 0, as
 * do those that only a result completes, so neither is read. Completed items come from an index alone.
 * Learners are joined after aggregation: a long list in `in` would be searched for each row if it exceeded
 * work_mem.
 */
const progressed: SQL = sql`
  select (begun.percent / nullif(learners.number * items.number, 0))::float8 as average_progress_percent
  from (select sum(people) as number from standing where status in ('active', 'completed')) as learners,
       (select count(*) as number from item) as items,
       (select coalesce(sum(percent), 0) as percent
        from (
          select user_id, course_offering_id, sum(percent) as percent
          from (
            select user_id, course_offering_id, item_percent_counted_for_progress(null, completed_at, by_result) as percent
            from item join user_content_progress on content_item_id = item_id
            where completed_at is not null
            union all
            select user_id, course_offering_id, item_percent_counted_for_progress(progress_percent, null, by_result)
            from item join user_content_progress on content_item_id = item_id
            where completed_at is null and not by_result
          ) as progress
          group by 1, 2
        ) as mine join enrolled using (user_id, course_offering_id)
        where status in ('active', 'completed')) as begun`;

const reviewed: SQL = sql`
  select avg(rating)::float8 as average_rating, count(*)::int as reviews
  from course_reviews join course_offerings on course_offerings.id = course_offering_id
  where course_offerings.course_id = courses.id`;

const gone = (...measures: ReportMeasure[]): SQL =>
  sql`coalesce(sum(amount) filter (where measure = any (${sql.param(measures)}::text[])), 0)`;

/** The cache's hit rate among answers on shared paths, including deleted sessions. */
const chatted: SQL = sql`
  select (talk.sessions + gone.sessions)::int as chat_sessions, (talk.messages + gone.messages)::int as chat_messages,
         (talk.hits + gone.hits)::float8 / nullif(talk.answers + gone.answers, 0) as cache_hit_rate
  from (
    select count(distinct chat_sessions.id) as sessions, count(message.id) as messages,
           count(*) filter (where message.on_shared_path and message.meta ->> 'source' = 'cache') as hits,
           count(*) filter (where message.on_shared_path) as answers
    from content_items
    join chat_sessions on chat_sessions.content_item_id = content_items.id
    left join chat_messages as message on message.session_id = chat_sessions.id
    where content_items.course_id = courses.id
  ) as talk, (
    select ${gone("chat_sessions")} as sessions, ${gone("chat_messages")} as messages, ${gone("hits")} as hits,
           ${gone("hits", "misses")} as answers
    from report_totals where course_id = courses.id and is_kept
  ) as gone`;
