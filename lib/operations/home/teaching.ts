import { type SQL, sql } from "drizzle-orm";
import { deadlineDays, Teaching } from "../../../schema/api/operations/teaching.ts";
import { courses } from "../../../schema/db/courses/courses.ts";
import { courseOfferings } from "../../../schema/db/courses/offerings.ts";
import { momentForm } from "../../../schema/db/platform/columns.ts";
import { threadWaitingForStaffCondition } from "../../community/waiting-threads.ts";
import {
  offeringInstructorCondition,
  offeringPermissionCondition,
} from "../../courses/course-permissions.ts";
import { moderateDiscussionsCondition, offeringsWithCoursesSql } from "../../courses/discussion-access.ts";
import { stuckLearnerCutoffSql, stuckLearnersSql } from "../../courses/offerings/stuck-learners.ts";
import { courseSummaryJsonSql, offeringSummaryJsonSql } from "../../courses/offerings/summary.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { permissionConditionsByScope } from "../../identity/rbac/scopes.ts";
import { memberJoinSql } from "../../identity/users/member-names.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";

const maxTeachingHomeOfferings = 20;
const maxStuckLearnersNamed = 5;
const maxTeachingHomeDeadlines = 5;

/** A teacher's offerings with open tasks, in one round trip. */
export async function readTeachingOverview(db: ReadDb, actor: Actor, now: Date): Promise<Teaching> {
  const statement = sql`
    with mine as materialized (${staffedBy(actor, now)})
    select coalesce(json_agg(json_build_object(
      'course', mine.course, 'course_offering', mine.course_offering, 'teaches', mine.teaches,
      'to_grade', ${toGrade}, 'unanswered_threads', ${waitingThreadsJsonSql(false)}, 'handovers', ${waitingThreadsJsonSql(true)},
      'stuck', ${stuckLearnersJsonSql(now)}, 'deadlines', ${deadlines(now)}) order by mine.line), '[]') as offerings
    from mine`;
  const [desk] = await rowsOf(db, Teaching, statement);
  if (!desk) throw new Error("an aggregate returned no row");
  return desk;
}

/** Taught offerings first, then the newest, undated last. Only these get details. */
const staffedBy = (actor: Actor, now: Date): SQL => sql`
  select course_offerings.id, course_offerings.course_id, course_offerings.university_id,
         ${courseSummaryJsonSql} as course, ${offeringSummaryJsonSql} as course_offering, first.teaches,
         row_number() over (order by first.teaches desc, course_offerings.starts_at desc nulls last, course_offerings.id desc) as line
  from (
    select id, bool_or(teaches) as teaches from (${sql.join(candidates(actor, now), sql` union all `)}) as candidate
    group by id, starts_at order by teaches desc, starts_at desc nulls last, id desc limit ${maxTeachingHomeOfferings}
  ) as first join (${offeringsWithCoursesSql}) on course_offerings.id = first.id`;

/** The first of each kind of access, by index. Sorting everything that an administrator may see is slow. */
function candidates(actor: Actor, now: Date): SQL[] {
  const running = sql`${moderateDiscussionsCondition(actor)}
    and coalesce(course_offerings.ends_at, 'infinity') > ${now.toISOString()}::timestamptz - interval '28 days'`;
  const first = (where: SQL, teaches: boolean, order: SQL) => sql`(
    select course_offerings.id, course_offerings.starts_at, ${teaches}::boolean as teaches
    from ${offeringsWithCoursesSql} where ${where} and ${running} order by ${order} limit ${maxTeachingHomeOfferings})`;
  const isTaught = sql`${offeringPermissionCondition(actor, "submission:read")} and ${offeringInstructorCondition(actor)}`;
  const ways = permissionConditionsByScope(
    actor,
    "submission:read",
    courseOfferings.university_id,
    courses.department_id,
    courses.id,
    {
      offering: courseOfferings.id,
    },
  );
  return [
    first(isTaught, true, sql`starts_at desc nulls last, id desc`),
    ...ways.flatMap((way) => [
      first(sql`${way} and starts_at is not null`, false, sql`starts_at desc, id desc`),
      first(sql`${way} and starts_at is null`, false, sql`id desc`),
    ]),
  ];
}

/** The number of these rows (`moment`), and the date of the oldest. */
const counted = (rows: SQL): SQL => sql`(
  select json_build_object('count', count(*), 'oldest_at', ${momentForm(sql`min(one.moment)`)}) from (${rows}) as one)`;

/**
 * The newest work of people with a seat, by the rule of `items_awaiting_grade` in SQL, in all items. Group
 * submissions have a row per member but are graded once. Reads only the few people without a seat; `offset 0`
 * prevents joins with all rows.
 */
const toGrade = counted(sql`
  select min(work.submitted_at) as moment from lab_submissions as work
  where work.course_offering_id = mine.id and work.status = 'submitted' and work.user_id <> all (array(
    select gone.user_id from enrollments as gone
    where gone.course_offering_id = mine.id and gone.status in ('completed', 'dropped', 'pending', 'waitlisted')
      and not gone.is_admitted
  )) and not exists (
    select from lab_submissions as newer
    where newer.user_id = work.user_id and newer.course_offering_id = work.course_offering_id
      and newer.content_item_id = work.content_item_id and newer.attempt_number > work.attempt_number
      and newer.status <> 'returned' offset 0
  ) and not exists (
    select from item_grades as own
    where own.user_id = work.user_id and own.course_offering_id = work.course_offering_id
      and own.content_item_id = work.content_item_id and (own.is_excused or own.score_override is not null) offset 0)
  group by coalesce(work.group_work::text, work.id::text)`);

export const waitingThreadsJsonSql = (areHandovers: boolean): SQL =>
  counted(sql`
    select thread.last_post_at as moment from discussion_threads as thread
    where thread.course_offering_id = mine.id and ${threadWaitingForStaffCondition}
      and exists (select from tutor_handovers as given where given.thread_id = thread.id) = ${areHandovers}`);

/** Names and dates are loaded only for the people listed. */
export const stuckLearnersJsonSql = (now: Date): SQL => sql`(
  with stood as materialized ${stuckLearnersSql(sql`mine.id`, stuckLearnerCutoffSql(now))}
  select json_build_object('count', (select count(*) from stood), 'people', coalesce(
    json_agg(json_build_object(
      'user_id', one.user_id, 'full_name', coalesce(name_at_university(member), users.full_name),
      'progress_percent', one.progress_percent::float8, 'last_activity_at', ${momentForm(sql`one.last_activity_at`)}) order by one.progress_percent, one.user_id), '[]'))
  from (select * from stood order by progress_percent, user_id limit ${maxStuckLearnersNamed}) as one
  join users on users.id = one.user_id
  ${memberJoinSql(sql`mine.university_id`, sql`one.user_id`)})`;

/** For everyone, without individual exceptions. */
const deadlines = (now: Date): SQL => sql`(
  select coalesce(json_agg(json_build_object(
    'content_item_id', one.item_id, 'title', one.title, 'due_at', ${momentForm(sql`one.due_at`)})
    order by one.due_at, one.item_id), '[]')
  from (
    select dates.item_id, item.title, dates.due_at
    from effective_dates_of_items(mine.id, null, array(
      select id from content_items where course_id = mine.course_id and is_active)) as dates
    join content_items as item on item.id = dates.item_id
    where dates.due_at >= ${now.toISOString()}
      and dates.due_at < ${now.toISOString()}::timestamptz + make_interval(days => ${deadlineDays})
    order by dates.due_at, dates.item_id limit ${maxTeachingHomeDeadlines}
  ) as one)`;
