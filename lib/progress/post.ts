import { and, eq, getTableColumns, ne, type SQL, sql } from "drizzle-orm";
import type {
  ContentProgress,
  ContentProgressPost,
  ModuleProgress,
  ModuleProgressPost,
} from "../../schema/api/progress.ts";
import { courses } from "../../schema/db/courses.ts";
import { enrollments } from "../../schema/db/enrollments.ts";
import { courseOfferings } from "../../schema/db/offerings.ts";
import { userContentProgress, userModuleProgress } from "../../schema/db/progress.ts";
import { activityParts } from "../activity/record.ts";
import type { Actor } from "../auth/actor.ts";
import { contentVisibleTo } from "../content/visibility.ts";
import { courseVisibleTo } from "../courses/visibility.ts";
import type { Db } from "../db/client.ts";
import { rowsOf } from "../db/rows.ts";
import { badRequest, forbidden } from "../errors.ts";
import { moduleVisibleTo } from "../modules/visibility.ts";
import { firstCompletion, laterCompletion } from "./completion.ts";

/**
 * Creates or updates the caller's progress in a module, and records the activity, in one statement.
 * 403 without an enrollment in the offering, 400 when the module is not one of its course that the caller sees.
 */
export async function postModuleProgress(
  db: Db,
  actor: Actor,
  post: ModuleProgressPost,
  now: Date,
): Promise<ModuleProgress> {
  const [progress] = await rowsOf(
    db,
    getTableColumns(userModuleProgress),
    sql`
    with place as (
      select course_offerings.university_id, modules.id
      from ${offeringOf(actor, post.course_offering_id)}
      join modules on modules.course_id = courses.id
      where modules.id = ${post.module_id} and ${moduleVisibleTo(actor)}
    ), before as (
      select from user_module_progress
      where user_id = ${actor.id} and course_offering_id = ${post.course_offering_id}
        and module_id = ${post.module_id} and completed_at is not null
    ), saved as (
      insert into user_module_progress
        (user_id, course_offering_id, module_id, progress_percent, completed_at, started_at)
      select ${actor.id}, ${post.course_offering_id}, id, ${post.progress_percent},
             ${firstCompletion(post, now)}, ${now.toISOString()}
      from place
      on conflict (user_id, course_offering_id, module_id) do update
      set progress_percent = excluded.progress_percent,
          completed_at = ${laterCompletion(post, sql`user_module_progress.completed_at`)}
      returning *
    ), done as (
      select ${verbOfSaved} as verb, 'module' as object_type, saved.module_id as object_id, place.university_id,
             null::int as content_item_id, saved.course_offering_id
      from saved, place
    ), ${activityParts(actor, now, sql`done`)}
    select * from saved`,
  );
  return progress ?? refuse(db, actor, post.course_offering_id, `module_id '${post.module_id}'`);
}

/**
 * The same for a content item. Each post counts as an attempt until the item has reached 100 percent.
 */
export async function postContentProgress(
  db: Db,
  actor: Actor,
  post: ContentProgressPost,
  now: Date,
): Promise<ContentProgress> {
  const [progress] = await rowsOf(
    db,
    getTableColumns(userContentProgress),
    sql`
    with place as (
      select course_offerings.university_id, content_items.id
      from ${offeringOf(actor, post.course_offering_id)}
      join content_items on content_items.course_id = courses.id
      join modules on modules.id = content_items.module_id
      where content_items.id = ${post.content_item_id} and ${contentVisibleTo(actor)}
    ), before as (
      select from user_content_progress
      where user_id = ${actor.id} and course_offering_id = ${post.course_offering_id}
        and content_item_id = ${post.content_item_id} and completed_at is not null
    ), saved as (
      insert into user_content_progress
        (user_id, course_offering_id, content_item_id, progress_percent, completed_at,
         first_started_at, last_interacted_at, attempts_count)
      select ${actor.id}, ${post.course_offering_id}, id, ${post.progress_percent},
             ${firstCompletion(post, now)}, ${now.toISOString()}, ${now.toISOString()}, 1
      from place
      on conflict (user_id, course_offering_id, content_item_id) do update
      set progress_percent = excluded.progress_percent,
          completed_at = ${laterCompletion(post, sql`user_content_progress.completed_at`)},
          last_interacted_at = excluded.last_interacted_at,
          attempts_count = user_content_progress.attempts_count
                         + (user_content_progress.progress_percent < 100)::int
      returning *
    ), done as (
      select ${verbOfSaved} as verb, 'content_item' as object_type, saved.content_item_id as object_id,
             place.university_id, saved.content_item_id, saved.course_offering_id
      from saved, place
    ), ${activityParts(actor, now, sql`done`)}
    select * from saved`,
  );
  return progress ?? refuse(db, actor, post.course_offering_id, `content_item_id '${post.content_item_id}'`);
}

/** The offering with its course, if the caller has a place in it that is not dropped: a `from` clause. */
const offeringOf = (actor: Actor, offeringId: number): SQL => sql`enrollments
      join course_offerings on course_offerings.id = enrollments.course_offering_id
        and enrollments.user_id = ${actor.id} and course_offerings.id = ${offeringId}
        and enrollments.status <> 'dropped'
      join courses on courses.id = course_offerings.course_id`;

/** A post completes something when it was not completed before and is now. */
const verbOfSaved = sql`case when saved.completed_at is not null and not exists (select from before)
                  then 'completed' else 'progressed' end`;

/** Why nothing was saved: no such offering for the caller, not enrolled in it, or what is not of its course. */
async function refuse(db: Db, actor: Actor, offeringId: number, object: string): Promise<never> {
  const enrollment = and(
    eq(enrollments.course_offering_id, courseOfferings.id),
    eq(enrollments.user_id, actor.id),
    ne(enrollments.status, "DROPPED"),
  );
  const [offering] = await db
    .select({ enrollment_id: enrollments.id })
    .from(courseOfferings)
    .innerJoin(courses, eq(courses.id, courseOfferings.course_id))
    .leftJoin(enrollments, enrollment)
    .where(and(eq(courseOfferings.id, offeringId), courseVisibleTo(actor)));
  if (!offering) throw badRequest(`Progress course_offering_id '${offeringId}' does not exist`);
  if (offering.enrollment_id === null) throw forbidden("Not enrolled in this offering");
  throw badRequest(`Progress ${object} is not part of this offering's course`);
}
