import { and, eq, type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { Home, type HomeQuery } from "../../../schema/api/operations/home.ts";
import { courses } from "../../../schema/db/courses/courses.ts";
import { enrollments } from "../../../schema/db/courses/enrollments.ts";
import { courseOfferings } from "../../../schema/db/courses/offerings.ts";
import { momentForm, wireForm } from "../../../schema/db/platform/columns.ts";
import {
  attemptOfPersonCondition,
  resultWithExpiredAttemptClosing,
  unsettledAttemptsExistCondition,
} from "../../assessment/close-expired-attempts.ts";
import { storedProgressPercentSql } from "../../courses/course-progress/progress-percent.ts";
import { waitlistPositionSql } from "../../courses/enrollments/enrollments.ts";
import {
  unreadAnnouncementCountSql,
  unreadNotificationCountSql,
} from "../../courses/notifications/unread.ts";
import { offeringInstructorsJsonArraySql } from "../../courses/offerings/listing.ts";
import { courseSummaryJsonSql, offeringSummaryJsonSql } from "../../courses/offerings/summary.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { openInvitationCountSql } from "../../identity/auth/open-invitations.ts";
import { tokenReachCondition } from "../../identity/auth/token-reach.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import type { ReadWithOverdueWork } from "../../platform/results/read-with-overdue-work.ts";

const HomeRow = Home.extend({ is_unsettled: z.boolean() });

/** Current, recently completed and waitlisted courses with their next items, deadlines and news. */
export async function readLearnerHome(
  db: ReadDb,
  actor: Actor,
  query: HomeQuery,
  now: Date,
): Promise<Home | ReadWithOverdueWork<Home, Db>> {
  const statement = sql`
    with mine as materialized (${takenBy(actor, query, now)}),
    to_do as materialized (
      select mine.course_id, mine.course_offering_id, item.*
      from mine cross join lateral items_to_do(mine.course_offering_id, ${actor.id}, ${now.toISOString()}) as item
      where mine.status = 'ACTIVE'
    )
    select ${shownCourses} as courses, ${dueItems(now)} as due,
           ${unreadAnnouncementCountSql(actor, now)} as unread_announcements,
           ${unreadNotificationCountSql(actor, now)} as unread_notifications,
           ${openInvitationCountSql(actor, now)} as open_offers,
           ${unsettledAttemptsExistCondition(now, attemptOfPersonCondition(actor.id))} as is_unsettled`;
  const [row] = await rowsOf(db, HomeRow, statement);
  if (!row) throw new Error("a select without a table returned no row");
  const { is_unsettled, ...home } = row;
  return is_unsettled ? resultWithExpiredAttemptClosing(home, now, attemptOfPersonCondition(actor.id)) : home;
}

/** The term's last day at the university, else the course's end, else after two weeks. */
const leavesHomeAt = sql`coalesce(
  (select (terms.ends_on + 1)::timestamp at time zone universities.time_zone
   from terms join universities on universities.id = terms.university_id
   where terms.id = ${courseOfferings.term_id}),
  ${courseOfferings.ends_at},
  ${enrollments.completed_at} + interval '14 days', 'infinity')`;

const takenBy = (actor: Actor, { skip, limit }: HomeQuery, now: Date): SQL => sql`
  select ${enrollments.id} as enrollment_id, ${wireForm(enrollments.status)} as status,
         ${waitlistPositionSql} as position, ${courseOfferings.id} as course_offering_id,
         ${courses.id} as course_id,
         ${storedProgressPercentSql} as progress_percent,
         ${courseSummaryJsonSql} as course,
         ${offeringSummaryJsonSql} as course_offering,
         ${offeringInstructorsJsonArraySql} as teachers,
         row_number() over (order by ${enrollments.enrolled_at} desc, ${enrollments.id} desc) as line
  from ${enrollments}
  join ${courseOfferings} on ${courseOfferings.id} = ${enrollments.course_offering_id}
  join ${courses} on ${courses.id} = ${courseOfferings.course_id}
  where ${and(eq(enrollments.user_id, actor.id), tokenReachCondition(actor, enrollments.university_id), sql`${enrollments.status} <> 'dropped'`, sql`${leavesHomeAt} > ${now.toISOString()}`)}
  order by line offset ${skip} limit ${limit}`;

const item = sql`
  'id', to_do.item_id, 'module_id', to_do.module_id, 'title', content_items.title,
  'content_type', content_types.name, 'due_at', ${momentForm(sql`to_do.due_at`)}`;

const itemsToDo = sql`
  to_do join content_items on content_items.id = to_do.item_id
  join content_types on content_types.id = content_items.content_type_id`;

const shownCourses = sql`(
  select coalesce(json_agg(json_build_object(
    'enrollment_id', mine.enrollment_id, 'status', mine.status, 'position', mine.position,
    'progress_percent', mine.progress_percent, 'course', mine.course, 'course_offering', mine.course_offering,
    'teachers', mine.teachers, 'next_item', next.item) order by mine.line), '[]')
  from mine left join lateral (
    select json_build_object(${item}) as item from ${itemsToDo}
    where to_do.course_offering_id = mine.course_offering_id and to_do.is_open
    order by to_do.is_ungraded_practice, to_do.place limit 1
  ) as next on true)`;

const dueItems = (now: Date): SQL => sql`(
  select coalesce(json_agg(item order by is_overdue, due_at, item_id), '[]')
  from (
    select to_do.due_at, to_do.item_id, to_do.due_at < ${now.toISOString()} as is_overdue,
           json_build_object(${item}, 'is_locked', not to_do.is_open, 'course_id', to_do.course_id,
             'course_offering_id', to_do.course_offering_id) as item
    from ${itemsToDo} where to_do.due_at is not null
    order by is_overdue, to_do.due_at, to_do.item_id limit 50
  ) as due)`;
