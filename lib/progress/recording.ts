import { and, eq, getTableColumns, ne, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
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
import { activityPart } from "../activity/record.ts";
import type { Actor } from "../auth/actor.ts";
import { contentVisibleTo } from "../content/visibility.ts";
import { courseVisibleTo } from "../courses/visibility.ts";
import type { Db } from "../db/client.ts";
import { storedRowsOf } from "../db/rows.ts";
import { badRequest, forbidden } from "../errors.ts";
import { moduleVisibleTo } from "../modules/visibility.ts";
import { firstCompletion, laterCompletion } from "./completion.ts";

/**
 * Creates or updates the caller's progress in a module, and records the activity, in one statement.
 * 403 without an enrollment in the offering, 400 when the module is not one of its course that the caller sees.
 */
export async function recordModuleProgress(
  db: Db,
  actor: Actor,
  post: ModuleProgressPost,
  now: Date,
): Promise<ModuleProgress> {
  const object: ProgressObject = {
    type: "module",
    id: post.module_id,
    reference: userModuleProgress.module_id,
    rows: sql`
      select from modules
      where modules.id = ${post.module_id} and modules.course_id = courses.id and ${moduleVisibleTo(actor)}`,
  };
  const upsert = sql`
    insert into user_module_progress
      (user_id, course_offering_id, module_id, progress_percent, completed_at, started_at)
    select ${actor.id}, ${post.course_offering_id}, id, ${post.progress_percent},
           ${firstCompletion(post, now)}, ${now.toISOString()}
    from object
    on conflict (user_id, course_offering_id, module_id) do update
    set progress_percent = excluded.progress_percent,
        completed_at = ${laterCompletion(post, userModuleProgress.completed_at)}`;
  const statement = recorded(actor, now, post.course_offering_id, object, upsert);
  const [progress] = await storedRowsOf(db, getTableColumns(userModuleProgress), statement);
  return progress ?? refuse(db, actor, post.course_offering_id, object);
}

/** The same for a content item. Each post counts as an attempt until the item has reached 100 percent. */
export async function recordContentProgress(
  db: Db,
  actor: Actor,
  post: ContentProgressPost,
  now: Date,
): Promise<ContentProgress> {
  const object: ProgressObject = {
    type: "content_item",
    id: post.content_item_id,
    reference: userContentProgress.content_item_id,
    rows: sql`
      select from content_items join modules on modules.id = content_items.module_id
      where content_items.id = ${post.content_item_id} and content_items.course_id = courses.id
        and ${contentVisibleTo(actor)}`,
  };
  const upsert = sql`
    insert into user_content_progress
      (user_id, course_offering_id, content_item_id, progress_percent, completed_at,
       first_started_at, last_interacted_at, attempts_count)
    select ${actor.id}, ${post.course_offering_id}, id, ${post.progress_percent},
           ${firstCompletion(post, now)}, ${now.toISOString()}, ${now.toISOString()}, 1
    from object
    on conflict (user_id, course_offering_id, content_item_id) do update
    set progress_percent = excluded.progress_percent,
        completed_at = ${laterCompletion(post, userContentProgress.completed_at)},
        last_interacted_at = excluded.last_interacted_at,
        attempts_count = user_content_progress.attempts_count
                       + (user_content_progress.progress_percent < 100)::int`;
  const statement = recorded(actor, now, post.course_offering_id, object, upsert);
  const [progress] = await storedRowsOf(db, getTableColumns(userContentProgress), statement);
  return progress ?? refuse(db, actor, post.course_offering_id, object);
}

/** What progress is about. `reference` names it in the progress table; `rows` finds it in a row of `courses`. */
type ProgressObject = { type: "module" | "content_item"; id: number; reference: PgColumn; rows: SQL };

/**
 * The statement around an upsert of progress. It reads the part `object`, which has the id of what the progress is
 * about if the caller is enrolled in the offering and sees it in its course; without it nothing happens at all.
 */
function recorded(actor: Actor, now: Date, offeringId: number, object: ProgressObject, upsert: SQL): SQL {
  const { type, id, reference, rows } = object;
  return sql`
    with object as (
      select ${type} as type, ${id}::int as id, course_offerings.university_id
      from enrollments
      join course_offerings on course_offerings.id = course_offering_id
      join courses on courses.id = course_offerings.course_id
      where user_id = ${actor.id} and course_offering_id = ${offeringId} and status <> 'dropped' and exists (${rows})
    ), completed_before as (
      select from ${reference.table}
      where user_id = ${actor.id} and course_offering_id = ${offeringId} and ${reference} = ${id}
        and completed_at is not null
    ), saved as (
      ${upsert}
      returning *
    ), done as (
      select case when saved.completed_at is not null and not exists (select from completed_before)
                  then 'completed' else 'progressed' end as verb,
             object.type as object_type, object.id as object_id, object.university_id,
             case object.type when 'content_item' then object.id end as content_item_id,
             saved.course_offering_id
      from saved, object
    ), ${activityPart(actor, now, sql`done`)}
    select saved.* from saved, activity`;
}

/** Why nothing was saved: no such offering for the caller, not enrolled in it, or what is not of its course. */
async function refuse(
  db: Db,
  actor: Actor,
  offeringId: number,
  { reference, id }: ProgressObject,
): Promise<never> {
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
  throw badRequest(`Progress ${reference.name} '${id}' is not part of this offering's course`);
}
