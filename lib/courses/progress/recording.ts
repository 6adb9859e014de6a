import { and, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import {
  type ContentProgress,
  type ContentProgressPost,
  ModuleProgress,
  type ModuleProgressPost,
} from "../../../schema/api/courses/progress.ts";
import { contentItems } from "../../../schema/db/courses/content-items.ts";
import { courses } from "../../../schema/db/courses/courses.ts";
import { enrollments } from "../../../schema/db/courses/enrollments.ts";
import { courseOfferings } from "../../../schema/db/courses/offerings.ts";
import { userContentProgress, userModuleProgress } from "../../../schema/db/courses/progress.ts";
import { toInstant } from "../../../schema/db/platform/columns.ts";
import { badRequest, fieldValueMessagePlaceholders, forbidden, invalidField } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { tokenReachCondition } from "../../identity/auth/token-reach.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsDecodedByColumns, rowsOf, StoredInstant } from "../../platform/db/query/rows.ts";
import { recordActivityCte } from "../activity/record.ts";
import {
  type AccessRefusal,
  accessRefusalError,
  itemAccessRefusalSql,
  openableItemCondition,
} from "../content/item-access.ts";
import { visibleCourseCondition } from "../course-permissions.ts";
import { visibleModuleCondition } from "../modules/visibility.ts";
import { initialCompletedAt, type ProgressAndCompletionTime, updatedCompletedAtSql } from "./completion.ts";

/**
 * Records the activity in the same statement. 403 without a seat, 400 for a module that the caller cannot see
 * in the course, 422 for a completion in the future or before the enrollment.
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
      where modules.id = ${post.module_id} and modules.course_id = courses.id and ${visibleModuleCondition(actor)}`,
  };
  const upsert: Upsert = {
    columns: sql`user_id, course_offering_id, module_id, progress_percent, completed_at, started_at`,
    values: sql`
      ${actor.id}::int, ${post.course_offering_id}::int, id, ${post.progress_percent}::numeric,
      ${initialCompletedAt(post, now)}::timestamptz, ${now.toISOString()}::timestamptz`,
    changes: sql`
      progress_percent = ${post.progress_percent},
      completed_at = ${updatedCompletedAtSql(post, userModuleProgress.completed_at, now)}`,
  };
  const answered = sql`
    id, user_id, saved.course_offering_id, saved.module_id, saved.started_at, saved.completed_at,
    progress_percent::float8 as progress_percent,
    (select computed_percent::float8 from module_progress_of_person(saved.course_offering_id, saved.user_id) as own
     where own.module_id = saved.module_id) as computed_percent`;
  const statement = recorded(actor, now, post, object, upsert, answered);
  const [progress] = await rowsOf(db, StoredProgress, statement);
  if (!progress) return explainRefusal(db, actor, post, object);
  const { started_at, completed_at } = progress;
  return {
    ...progress,
    started_at: toInstant(started_at),
    completed_at: completed_at && toInstant(completed_at),
  };
}

const StoredProgress = ModuleProgress.extend({
  started_at: StoredInstant,
  completed_at: StoredInstant.nullable(),
});

/**
 * Each post counts as an attempt until 100 percent. Progress of a quiz, lab or assignment is stored, but only
 * its result completes it. Also 403 if the item is locked.
 */
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
    // Items that the caller cannot see are tested for locks too.
    rows: sql`
      select from content_items
      where content_items.id = ${post.content_item_id} and content_items.course_id = courses.id
        and ${openableItemCondition(contentItems.id, actor, now)}`,
  };
  const upsert: Upsert = {
    columns: sql`
      user_id, course_offering_id, content_item_id, progress_percent, completed_at,
      first_started_at, last_interacted_at, attempts_count`,
    values: sql`
      ${actor.id}::int, ${post.course_offering_id}::int, id, ${post.progress_percent}::numeric,
      ${initialCompletedAt(post, now)}::timestamptz, ${now.toISOString()}::timestamptz,
      ${now.toISOString()}::timestamptz, 1`,
    changes: sql`
      progress_percent = ${post.progress_percent},
      completed_at = ${updatedCompletedAtSql(post, userContentProgress.completed_at, now)},
      last_interacted_at = ${now.toISOString()},
      attempts_count = user_content_progress.attempts_count
                     + (user_content_progress.progress_percent < 100)::int`,
  };
  const statement = recorded(actor, now, post, object, upsert);
  const [progress] = await rowsDecodedByColumns(db, getTableColumns(userContentProgress), statement);
  return (
    progress ??
    explainRefusal(db, actor, post, {
      ...object,
      gate: itemAccessRefusalSql(post.content_item_id, actor, now),
    })
  );
}

/** `reference` is its column in the progress table; `rows` finds it in a row of `courses`. */
type ProgressObject = { type: "module" | "content_item"; id: number; reference: PgColumn; rows: SQL };

/**
 * Columns and values of the first post, and changes of a later one. A later post updates before it inserts,
 * so it draws no id. Of two concurrent first posts the second updates the first's row.
 */
type Upsert = { columns: SQL; values: SQL; changes: SQL };

type Post = ProgressAndCompletionTime & { course_offering_id: number };

/**
 * The CTE `object` has the id if the caller has a seat and sees the object in the course; otherwise nothing
 * is written.
 */
function recorded(
  actor: Actor,
  now: Date,
  { course_offering_id: offeringId, completed_at = null }: Post,
  { type, id, reference, rows }: ProgressObject,
  { columns, values, changes }: Upsert,
  answered = sql`saved.*`,
): SQL {
  if (completed_at && Date.parse(completed_at) > now.getTime())
    throw invalidField(["completed_at"], "Input should not be in the future");
  return sql`
    with object as (
      select ${type} as type, ${id}::int as id, course_offerings.university_id
      from enrollments
      join course_offerings on course_offerings.id = course_offering_id
      join courses on courses.id = course_offerings.course_id
      where ${and(sql`user_id = ${actor.id}`, tokenReachCondition(actor, sql`courses.university_id`, { offering: sql`course_offering_id` }))}
        and course_offering_id = ${offeringId} and is_admitted
        and coalesce(${completed_at}::timestamptz >= enrolled_at, true) and exists (${rows})
    ), completed_before as (
      select from ${reference.table}
      where user_id = ${actor.id} and course_offering_id = ${offeringId} and ${reference} = ${id}
        and completed_at is not null
    ), changed as (
      update ${reference.table} set ${changes}
      from object
      where ${reference.table}.user_id = ${actor.id} and ${reference.table}.course_offering_id = ${offeringId}
        and ${reference} = object.id
      returning ${reference.table}.*
    ), made as (
      insert into ${reference.table} (${columns})
      select ${values} from object where not exists (select from changed)
      on conflict (user_id, course_offering_id, ${sql.identifier(reference.name)}) do update set ${changes}
      returning *
    ), saved as (
      select * from changed union all select * from made
    ), done as (
      select case when saved.completed_at is not null and not exists (select from completed_before)
                  then 'completed' else 'progressed' end as verb,
             object.type as object_type, object.id as object_id, object.university_id,
             case object.type when 'content_item' then object.id end as content_item_id,
             saved.course_offering_id
      from saved, object
    ), ${recordActivityCte(actor, now, sql`done`)}
    select ${answered} from saved, activity`;
}

async function explainRefusal(
  db: Db,
  actor: Actor,
  { course_offering_id: offeringId, completed_at }: Post,
  { reference, id, gate = sql<null>`null` }: ProgressObject & { gate?: SQL<AccessRefusal | null> },
): Promise<never> {
  const enrollment = and(
    eq(enrollments.course_offering_id, courseOfferings.id),
    eq(enrollments.user_id, actor.id),
    tokenReachCondition(actor, enrollments.university_id, { offering: enrollments.course_offering_id }),
    enrollments.is_admitted,
  );
  const [offering] = await db
    .select({ enrolled_at: enrollments.enrolled_at, gate })
    .from(courseOfferings)
    .innerJoin(courses, eq(courses.id, courseOfferings.course_id))
    .leftJoin(enrollments, enrollment)
    .where(and(eq(courseOfferings.id, offeringId), visibleCourseCondition(actor)));
  if (!offering)
    throw badRequest(
      "does_not_exist",
      fieldValueMessagePlaceholders("Progress", "course_offering_id", offeringId),
    );
  if (offering.enrolled_at === null) throw forbidden("not_enrolled");
  if (completed_at && Date.parse(completed_at) < Date.parse(offering.enrolled_at))
    throw invalidField(["completed_at"], "Input should not be before the enrollment");
  if (offering.gate && offering.gate !== "hidden") throw accessRefusalError(offering.gate);
  throw badRequest("not_part_of_course", fieldValueMessagePlaceholders("Progress", reference.name, id));
}
