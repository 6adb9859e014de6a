import { type SQL, sql } from "drizzle-orm";
import { OfferingWeek } from "../../../schema/api/operations/teaching.ts";
import { momentForm } from "../../../schema/db/platform/columns.ts";
import { offeringPermissionCondition } from "../../courses/course-permissions.ts";
import { moderateDiscussionsCondition, offeringsWithCoursesSql } from "../../courses/discussion-access.ts";
import { explainOfferingRefusal, type OfferingPath } from "../../courses/offerings/offerings.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { stuckLearnersJsonSql, waitingThreadsJsonSql } from "./teaching.ts";

const maxItemsDueInWeek = 20;

/**
 * From Monday at the university, in one round trip. 404 for an offering that the caller cannot see, 403 for
 * non-staff.
 */
export async function readOfferingWeek(
  db: ReadDb,
  actor: Actor,
  path: OfferingPath,
  now: Date,
): Promise<OfferingWeek> {
  const moment = sql`${now.toISOString()}::timestamptz`;
  const [week] = await rowsOf(
    db,
    OfferingWeek,
    sql`
      with mine as materialized (
        select course_offerings.id, course_offerings.course_id, course_offerings.university_id,
               date_trunc('week', ${moment} at time zone universities.time_zone) at time zone universities.time_zone as monday,
               (date_trunc('week', ${moment} at time zone universities.time_zone) + interval '7 days')
                 at time zone universities.time_zone as next_monday
        from ${offeringsWithCoursesSql} join universities on universities.id = course_offerings.university_id
        where course_offerings.id = ${path.offering_id} and course_offerings.course_id = ${path.course_id}
          and ${offeringPermissionCondition(actor, "submission:read")} and ${moderateDiscussionsCondition(actor)}
      ), taking as materialized (
        select taken.user_id from mine join enrollments as taken on taken.course_offering_id = mine.id
        where taken.status = 'active'
      )
      select ${momentForm(sql`mine.monday`)} as starts_at, ${momentForm(sql`mine.next_monday`)} as ends_at,
             (select count(*)::int from taking) as learners, ${dueAt(moment)} as due, ${stuckLearnersJsonSql(now)} as inactive,
             (select count(*)::int from discussion_threads as thread join taking on taking.user_id = thread.created_by_user_id
              where thread.course_offering_id = mine.id
                and thread.created_at >= mine.monday and thread.created_at < mine.next_monday) as new_threads,
             ${waitingThreadsJsonSql(false)} as unanswered_threads, ${waitingThreadsJsonSql(true)} as handovers, ${tutor} as tutor
      from mine`,
  );
  return week ?? explainOfferingRefusal(db, actor, path);
}

/** One row per person: submitted work, an attempt that is over, or a completed item with neither. */
const dueAt = (moment: SQL): SQL => sql`(
  select coalesce(json_agg(json_build_object(
    'content_item_id', one.item_id, 'title', one.title, 'content_type', one.name, 'due_at', ${momentForm(sql`one.due_at`)},
    'handed_in', (
      select count(*) from taking where exists (
        select from lab_submissions as work
        where work.course_offering_id = mine.id and work.content_item_id = one.item_id and work.user_id = taking.user_id
        union all
        select from quiz_attempts as work
        where work.course_offering_id = mine.id and work.content_item_id = one.item_id and work.user_id = taking.user_id
          and is_attempt_over(work, ${moment})
        union all
        select from user_content_progress as work
        where work.course_offering_id = mine.id and work.content_item_id = one.item_id and work.user_id = taking.user_id
          and work.completed_at is not null))) order by one.due_at, one.item_id), '[]')
  from (
    select dates.item_id, item.title, type.name, dates.due_at
    from effective_dates_of_items(mine.id, null, array(
      select id from content_items where course_id = mine.course_id and is_active)) as dates
    join content_items as item on item.id = dates.item_id
    join content_types as type on type.id = item.content_type_id
    where dates.due_at >= mine.monday and dates.due_at < mine.next_monday and is_module_published_with_ancestors(item.module_id)
    order by dates.due_at, dates.item_id limit ${maxItemsDueInWeek}
  ) as one)`;

/** Conversations belong to items, not offerings: they count for the learners of this one. */
const tutor = sql`(
  select json_build_object('sessions', count(*), 'people', count(distinct session.user_id))
  from taking
  join chat_sessions as session on session.user_id = taking.user_id
    and session.created_at >= mine.monday and session.created_at < mine.next_monday
  join content_items as item on item.id = session.content_item_id and item.course_id = mine.course_id)`;
