import { and, type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { Enrollment } from "../../../schema/api/courses/enrollments.ts";
import { Overview, RecentActivity } from "../../../schema/api/identity/users.ts";
import { toInstant } from "../../../schema/db/platform/columns.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { tokenReachCondition } from "../../identity/auth/token-reach.ts";
import { currentStreak } from "../../identity/users/streak.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { rowsOf, StoredInstant } from "../../platform/db/query/rows.ts";
import { storedProgressPercentSql } from "./progress-percent.ts";

const OverviewRow = z.object({
  active_enrollments: z.array(
    Enrollment.extend({
      enrolled_at: StoredInstant,
      starts_at: StoredInstant.nullable(),
      ends_at: StoredInstant.nullable(),
    }),
  ),
  recommended_courses: Overview.shape.recommended_courses,
  recent_activity: z.array(RecentActivity.extend({ occurred_at: StoredInstant })),
  completed_courses: z.int(),
});

/** The default page size of the enrollment list, which continues from here. */
const maxEnrollmentsInOverview = 100;

export async function getLearnerOverview(db: ReadDb, actor: Actor, now: Date): Promise<Overview> {
  const statement = sql`
    select ${activeEnrollments(actor)} as active_enrollments,
           ${recommendedCourses(actor)} as recommended_courses,
           ${recentActivity(actor)} as recent_activity,
           (select count(distinct course_id)::int
            from enrollments join course_offerings on course_offerings.id = course_offering_id
            where ${and(sql`user_id = ${actor.id}`, tokenReachCondition(actor, sql`enrollments.university_id`))}
              and status = 'completed' and completion_source <> 'self') as completed_courses`;
  const [row] = await rowsOf(db, OverviewRow, statement);
  if (!row) throw new Error("a select without a table returned no row");
  return {
    active_enrollments: row.active_enrollments.map((enrollment) => ({
      ...enrollment,
      enrolled_at: toInstant(enrollment.enrolled_at),
      starts_at: enrollment.starts_at && toInstant(enrollment.starts_at),
      ends_at: enrollment.ends_at && toInstant(enrollment.ends_at),
    })),
    recommended_courses: row.recommended_courses,
    recent_activity: row.recent_activity.map((event) => ({
      ...event,
      occurred_at: toInstant(event.occurred_at),
    })),
    stats: { completed_courses: row.completed_courses, current_streak: currentStreak(actor.profile, now) },
  };
}

/** Timestamps keep the format of Postgres JSON. */
const listOfJson = (rows: SQL): SQL => sql`(select coalesce(json_agg(item), '[]') from (${rows}) as listed)`;

const activeEnrollments = (actor: Actor): SQL =>
  listOfJson(sql`
    select json_build_object(
      'id', enrollments.id, 'user_id', user_id, 'course_offering_id', course_offering_id,
      'status', upper(status), 'enrolled_at', enrolled_at, 'completed_at', null, 'completion_source', null,
      'progress_percent', ${storedProgressPercentSql}, 'position', null,
      'course_id', courses.id, 'university_id', courses.university_id, 'starts_at', starts_at, 'ends_at', ends_at,
      'course_offering', json_build_object(
        'term_name', term_name, 'course', json_build_object('title', title, 'code', code))) as item
    from enrollments
    join course_offerings on course_offerings.id = course_offering_id
    join courses on courses.id = course_offerings.course_id
    where ${and(sql`user_id = ${actor.id}`, tokenReachCondition(actor, sql`enrollments.university_id`))} and status = 'active'
    order by enrolled_at desc, enrollments.id desc limit ${maxEnrollmentsInOverview}`);

/** At most five. The database function stops early. */
const recommendedCourses = (actor: Actor): SQL =>
  listOfJson(sql`
    select json_build_object(
      'id', id, 'title', title, 'code', code, 'description', description, 'level', upper(level),
      'language_code', language_code, 'credit_hours', credit_hours, 'primary_subject_id', primary_subject_id,
      'picture_file_id', (select file_id from file_uses where course_id = ranked.id), 'is_published', is_published, 'university_id', university_id,
      'department_id', department_id, 'version', version) as item
    from recommended_courses(${actor.id}, 5) with ordinality as ranked
    where ${tokenReachCondition(actor, sql`university_id`) ?? sql`true`}
    order by ordinality`);

const recentActivity = (actor: Actor): SQL =>
  listOfJson(sql`
    select json_build_object(
      'type', upper(verb), 'title', coalesce(content_items.title, modules.title, courses.title),
      'content_item_id', content_item_id, 'course_offering_id', course_offering_id,
      'occurred_at', occurred_at) as item
    from (select * from activity_events where ${and(sql`user_id = ${actor.id}`, tokenReachCondition(actor, sql`university_id`))} order by occurred_at desc, id desc limit 10)
      as events
    left join content_items on content_items.id = content_item_id
    left join modules on object_type = 'module' and modules.id = object_id
    left join course_offerings on course_offerings.id = course_offering_id
    left join courses on courses.id = course_offerings.course_id
    order by occurred_at desc, events.id desc`);
