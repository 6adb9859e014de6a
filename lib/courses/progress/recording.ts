import { and, eq, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import {
  ContentProgress,
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
import { isTokenLimited, type TokenLimits, tokenReachCondition } from "../../identity/auth/token-reach.ts";
import {
  type CallerToVerify,
  createVerifiedWrite,
  isCallerUnchanged,
} from "../../identity/auth/verified-write.ts";
import type { Db } from "../../platform/db/client.ts";
import { StoredInstant } from "../../platform/db/query/rows.ts";
import { activityCte, activityValues } from "../activity/record.ts";
import {
  type AccessRefusal,
  accessRefusalError,
  itemAccessRefusalSql,
  openableItemCondition,
} from "../content/item-access.ts";
import { visibleCourseCondition } from "../course-permissions.ts";
import { visibleModuleCondition } from "../modules/visibility.ts";
import { initialCompletedAt, keepsCompletedAt, type ProgressAndCompletionTime } from "./completion.ts";

/** In the statement instead of a post's values, so its text need not be built for each post. */
const given = {
  person: sql.placeholder("person"),
  offering: sql.placeholder("offering"),
  object: sql.placeholder("object"),
  percent: sql.placeholder("percent"),
  asked: sql.placeholder("asked"),
  completed: sql.placeholder("completed"),
  keeps: sql.placeholder("keeps"),
  now: sql.placeholder("now"),
  today: sql.placeholder("today"),
  last_active: sql.placeholder("last_active"),
};

type Post = ProgressAndCompletionTime & { course_offering_id: number };

/** 422 for a completion in the future. */
function valuesOf(actor: Actor, post: Post, object: number, now: Date): Record<keyof typeof given, unknown> {
  const asked = post.completed_at ?? null;
  if (asked && Date.parse(asked) > now.getTime())
    throw invalidField(["completed_at"], "Input should not be in the future");
  return {
    ...activityValues(actor, now),
    offering: post.course_offering_id,
    object,
    percent: post.progress_percent,
    asked,
    completed: initialCompletedAt(post, now),
    keeps: keepsCompletedAt(post),
  };
}

/**
 * Records the activity in the same statement. 403 without a seat, 400 for a module that the caller cannot see
 * in the course, 422 for a completion in the future or before the enrollment.
 */
export async function recordModuleProgress(
  db: Db,
  { actor, verification }: CallerToVerify,
  post: ModuleProgressPost,
  now: Date,
): Promise<ModuleProgress> {
  const object: ProgressObject = {
    type: "module",
    reference: userModuleProgress.module_id,
    rows: sql`
      select from modules
      where modules.id = ${given.object} and modules.course_id = courses.id and ${visibleModuleCondition(actor)}`,
  };
  const upsert: Upsert = {
    columns: sql`user_id, course_offering_id, module_id, progress_percent, completed_at, started_at`,
    values: sql`
      ${given.person}::int, ${given.offering}::int, id, ${given.percent}::numeric, ${given.completed}::timestamptz,
      ${given.now}::timestamptz`,
    changes: sql`
      progress_percent = ${given.percent}, completed_at = ${updatedCompletedAt(userModuleProgress.completed_at)}`,
  };
  const answered = sql`
    select id, user_id, saved.course_offering_id, saved.module_id, saved.started_at, saved.completed_at,
           progress_percent::float8 as progress_percent,
           (select computed_percent::float8
            from module_progress_of_person(saved.course_offering_id, saved.user_id) as own
            where own.module_id = saved.module_id) as computed_percent
    from saved, activity`;
  const values = valuesOf(actor, post, post.module_id, now);
  const record = createVerifiedWrite(StoredModuleProgress, recording(actor, object, upsert), answered);
  const progress = await record(db, verification, values);
  if (!progress) return explainRefusal(db, actor, post, { ...object, id: post.module_id });
  const { started_at, completed_at } = progress;
  return {
    ...progress,
    started_at: toInstant(started_at),
    completed_at: completed_at && toInstant(completed_at),
  };
}

const StoredModuleProgress = ModuleProgress.extend({
  started_at: StoredInstant,
  completed_at: StoredInstant.nullable(),
});

/**
 * Each post counts as an attempt until 100 percent. Progress of a quiz, lab or assignment is stored, but only
 * its result completes it. Also 403 if the item is locked.
 */
export async function recordContentProgress(
  db: Db,
  { actor, verification }: CallerToVerify,
  post: ContentProgressPost,
  now: Date,
): Promise<ContentProgress> {
  const values = valuesOf(actor, post, post.content_item_id, now);
  const record = isTokenLimited(actor) ? contentProgressRecorder(actor) : recordForWholeToken;
  const progress = await record(db, verification, values);
  if (!progress)
    return explainRefusal(db, actor, post, {
      ...contentObject,
      id: post.content_item_id,
      gate: itemAccessRefusalSql(post.content_item_id, actor, now),
    });
  const { first_started_at, last_interacted_at, completed_at } = progress;
  return {
    ...progress,
    first_started_at: toInstant(first_started_at),
    last_interacted_at: toInstant(last_interacted_at),
    completed_at: completed_at && toInstant(completed_at),
  };
}

const StoredContentProgress = ContentProgress.extend({
  first_started_at: StoredInstant,
  last_interacted_at: StoredInstant,
  completed_at: StoredInstant.nullable(),
});

const contentObject = {
  type: "content_item",
  reference: userContentProgress.content_item_id,
} as const;

const contentUpsert: Upsert = {
  columns: sql`
    user_id, course_offering_id, content_item_id, progress_percent, completed_at,
    first_started_at, last_interacted_at, attempts_count`,
  values: sql`
    ${given.person}::int, ${given.offering}::int, id, ${given.percent}::numeric, ${given.completed}::timestamptz,
    ${given.now}::timestamptz, ${given.now}::timestamptz, 1`,
  changes: sql`
    progress_percent = ${given.percent},
    completed_at = ${updatedCompletedAt(userContentProgress.completed_at)},
    last_interacted_at = ${given.now},
    attempts_count = user_content_progress.attempts_count
                   + (user_content_progress.progress_percent < 100)::int`,
};

function contentProgressRecorder(limits: TokenLimits) {
  const caller = { ...limits, id: given.person };
  // Items that the caller cannot see are tested for locks too.
  const rows = sql`
    select from content_items
    where content_items.id = ${given.object} and content_items.course_id = courses.id
      and ${openableItemCondition(contentItems.id, caller, given.now)}`;
  const answered = sql`
    select id, user_id, saved.course_offering_id, saved.content_item_id, first_started_at, last_interacted_at,
           saved.completed_at, progress_percent::float8 as progress_percent, attempts_count
    from saved, activity`;
  return createVerifiedWrite(
    StoredContentProgress,
    recording(limits, { ...contentObject, rows }, contentUpsert),
    answered,
  );
}

/** Most tokens: its text is built once. */
const recordForWholeToken = contentProgressRecorder({});

/** `reference` is its column in the progress table; `rows` finds it in a row of `courses`. */
type ProgressObject = { type: "module" | "content_item"; reference: PgColumn; rows: SQL };

/**
 * Columns and values of the first post, and changes of a later one. A later post updates before it inserts,
 * so it draws no id. Of two concurrent first posts the second updates the first's row.
 */
type Upsert = { columns: SQL; values: SQL; changes: SQL };

function updatedCompletedAt(stored: PgColumn): SQL {
  const completed = sql`${given.completed}::timestamptz`;
  return sql`case when ${given.keeps}::boolean then coalesce(${stored}, ${completed}) else ${completed} end`;
}

/**
 * The CTE `object` has the id if the caller has a seat and sees the object in the course; otherwise nothing
 * is written.
 */
function recording(
  limits: TokenLimits,
  { type, reference, rows }: ProgressObject,
  { columns, values, changes }: Upsert,
): SQL {
  const within = { offering: sql`course_offering_id` };
  return sql`
    object as (
      select ${type} as type, ${given.object}::int as id, course_offerings.university_id
      from enrollments
      join course_offerings on course_offerings.id = course_offering_id
      join courses on courses.id = course_offerings.course_id
      where ${and(sql`user_id = ${given.person}`, tokenReachCondition(limits, sql`courses.university_id`, within))}
        and course_offering_id = ${given.offering} and is_admitted
        and coalesce(${given.asked}::timestamptz >= enrolled_at, true) and exists (${rows})
        and ${isCallerUnchanged}
    ), completed_before as (
      select from ${reference.table}
      where user_id = ${given.person} and course_offering_id = ${given.offering} and ${reference} = ${given.object}
        and completed_at is not null
    ), changed as (
      update ${reference.table} set ${changes}
      from object
      where ${reference.table}.user_id = ${given.person}
        and ${reference.table}.course_offering_id = ${given.offering} and ${reference} = object.id
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
    ), ${activityCte(given, sql`done`)}`;
}

async function explainRefusal(
  db: Db,
  actor: Actor,
  { course_offering_id: offeringId, completed_at }: Post,
  {
    reference,
    id,
    gate = sql<null>`null`,
  }: Pick<ProgressObject, "reference"> & { id: number; gate?: SQL<AccessRefusal | null> },
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
