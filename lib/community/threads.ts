import { and, eq, type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import {
  DiscussionThread,
  type DiscussionThreadCreate,
  type DiscussionThreadQuery,
  type DiscussionThreadUpdate,
  DiscussionThreadWithHandover,
  type PrivateThreadCreate,
} from "../../schema/api/community/discussions.ts";
import { discussionThreads } from "../../schema/db/community/discussions.ts";
import { users } from "../../schema/db/identity/users.ts";
import { recordActivityCte } from "../courses/activity/record.ts";
import { visibleContentItemCondition } from "../courses/content/visibility.ts";
import { visibleCourseCondition } from "../courses/course-permissions.ts";
import {
  ensureDiscussionAccess,
  moderateDiscussionsCondition,
  offeringsWithCoursesSql,
  readableDiscussionsCondition,
  readableThreadCondition,
  threadsWithCoursesSql,
  writtenByGroupMemberCondition,
} from "../courses/discussion-access.ts";
import { offeringLanguageSql } from "../courses/language.ts";
import { visibleModuleCondition } from "../courses/modules/visibility.ts";
import { badRequest, fieldValueMessagePlaceholders, forbidden, notFound } from "../errors.ts";
import { type AuditEntry, insertAuditEventsQuery } from "../identity/audit/record.ts";
import type { Actor } from "../identity/auth/actor.ts";
import { namedMemberQuery } from "../identity/identities/member-named.ts";
import type { Db, ReadDb } from "../platform/db/client.ts";
import { queryJsonPageOfOwner, wireColumnsSql } from "../platform/db/query/json-rows.ts";
import { createPageQuery, descending } from "../platform/db/query/page.ts";
import { rowsOf, typedSql } from "../platform/db/query/rows.ts";
import { rethrowMissingFile } from "../platform/db/query/violations.ts";
import type { JsonListPage } from "../platform/results/json-list-page.ts";
import { threadHandoverJsonSql } from "./handovers.ts";

const columns = {
  id: discussionThreads.id,
  course_offering_id: discussionThreads.course_offering_id,
  module_id: discussionThreads.module_id,
  content_item_id: discussionThreads.content_item_id,
  language_code: offeringLanguageSql(sql`discussion_threads.course_offering_id`),
  title: discussionThreads.title,
  visible: discussionThreads.visible,
  learner_user_id: discussionThreads.learner_user_id,
  learner_name: typedSql(z.string().nullable())`(
    select full_name from users where users.id = discussion_threads.learner_user_id)`,
  created_by_user_id: discussionThreads.created_by_user_id,
  created_by_name: users.full_name,
  is_pinned: discussionThreads.is_pinned,
  is_locked: discussionThreads.is_locked,
  answer_post_id: discussionThreads.answer_post_id,
  post_count: discussionThreads.post_count,
  last_post_at: discussionThreads.last_post_at,
  created_at: discussionThreads.created_at,
};

const withAuthor = sql`left join users on users.id = discussion_threads.created_by_user_id`;

const newest = [discussionThreads.is_pinned, discussionThreads.last_post_at, discussionThreads.id].map(
  descending,
);

/** Pinned ones first, then by latest post; 404 or 403 like `ensureDiscussionAccess`. */
export async function listThreads(
  db: ReadDb,
  actor: Actor,
  offeringId: number,
  { module_id, content_item_id, group_id, unanswered, q, ...window }: DiscussionThreadQuery,
): Promise<JsonListPage<DiscussionThread>> {
  const filter = and(
    sql`discussion_threads.course_offering_id = course_offerings.id`,
    readableThreadCondition(actor),
    writtenByGroupMemberCondition(actor, group_id, discussionThreads.created_by_user_id),
    module_id ? eq(discussionThreads.module_id, module_id) : undefined,
    content_item_id ? eq(discussionThreads.content_item_id, content_item_id) : undefined,
    unanswered === "true" ? sql`discussion_threads.answer_post_id is null` : undefined,
    q ? saidIn(q) : undefined,
  );
  const threads = await queryJsonPageOfOwner<DiscussionThread>(
    db,
    sql`${offeringsWithCoursesSql} where course_offerings.id = ${offeringId} and ${readableDiscussionsCondition(actor)}`,
    createPageQuery(window, newest).rows(columns, sql`discussion_threads ${withAuthor}`, filter),
  );
  if (threads) return threads;
  await ensureDiscussionAccess(db, actor, offeringId);
  throw notFound("Offering");
}

/** On `discussion_threads`, joined with `courses`: the words are in the title or visible posts. */
const saidIn = (words: string): SQL => {
  const language = sql`text_search_configuration(courses.language_code)`;
  const query = sql`websearch_to_tsquery(${language}, ${words})`;
  return sql`(to_tsvector(${language}, coalesce(discussion_threads.title, '')) @@ ${query}
    or discussion_threads.id in (
      select post.thread_id from discussion_posts as post join discussion_threads as its on its.id = post.thread_id
      where its.course_offering_id = course_offerings.id and post.search @@ ${query}
        and not post.is_deleted and not post.is_hidden))`;
};

/** With its hand-over; 404 for users outside the offering's discussions. */
export async function getThread(
  db: ReadDb,
  actor: Actor,
  threadId: number,
): Promise<DiscussionThreadWithHandover> {
  const [thread] = await rowsOf(
    db,
    DiscussionThreadWithHandover,
    sql`
      select ${wireColumnsSql({ ...columns, handover: threadHandoverJsonSql(actor) })} from ${threadsWithCoursesSql} ${withAuthor}
      where discussion_threads.id = ${threadId} and ${readableThreadCondition(actor)}`,
  );
  if (!thread) throw notFound("Thread");
  return thread;
}

/**
 * With its first post; records the activity. 404 or 403 like `ensureDiscussionAccess`, 400 for a module or
 * item not in the course or not visible.
 */
export async function createThread(
  db: Db,
  actor: Actor,
  offeringId: number,
  { title = null, body, module_id = null, content_item_id = null, file_ids = [] }: DiscussionThreadCreate,
  now: Date,
): Promise<DiscussionThread> {
  const permitted = sql`
    select course_offerings.id, course_offerings.university_id, null::int as learner_user_id from ${offeringsWithCoursesSql}
    where course_offerings.id = ${offeringId} and ${readableDiscussionsCondition(actor)}
      and (${module_id}::int is null or exists (${moduleOfCourse(actor, module_id)}))
      and (${content_item_id}::int is null or exists (${itemOfCourse(actor, content_item_id)}))`;
  const first = { title, body, module_id, content_item_id, file_ids };
  const thread = await beginThread(db, actor, { permitted, first, now });
  if (thread) return thread;
  await ensureDiscussionAccess(db, actor, offeringId);
  const missing =
    content_item_id === null
      ? fieldValueMessagePlaceholders("Discussion thread", "module_id", module_id)
      : fieldValueMessagePlaceholders("Discussion thread", "content_item_id", content_item_id);
  throw badRequest("does_not_exist", missing);
}

type FirstPost = {
  title: string | null;
  body: string;
  module_id: number | null;
  content_item_id: number | null;
  file_ids: number[];
};

/** At most one row with the offering's `id`, `university_id` and, if private, the learner. */
type Beginning = { permitted: SQL; first: FirstPost; now: Date };

/** Records the activity and notifies a private thread's learner; undefined without permission. */
async function beginThread(
  db: Db,
  actor: Actor,
  { permitted, first, now }: Beginning,
): Promise<DiscussionThread | undefined> {
  const { title, body, module_id, content_item_id, file_ids } = first;
  const at = now.toISOString();
  const [thread] = await rowsOf(
    db,
    DiscussionThread,
    sql`
      with permitted as materialized (${permitted}), opened as (
        insert into discussion_threads
          (course_offering_id, module_id, content_item_id, created_by_user_id, title, visible, learner_user_id, created_at,
           post_count, last_post_at)
        select id, ${module_id}::int, ${content_item_id}::int, ${actor.id}, ${title},
               case when learner_user_id is null then 'class' else 'staff' end, learner_user_id, ${at}, 1, ${at}
        from permitted
        returning *
      ), said as (
        insert into discussion_posts (thread_id, user_id, body, created_at, updated_at)
        select id, ${actor.id}, ${body}, ${at}, ${at} from opened returning id
      ), put as (
        select raise_no_such_file(misplaced)
        from said cross join lateral replace_attached_files('post', said.id, ${actor.id}, ${sql.param(file_ids)}::bigint[]) as misplaced
        where cardinality(${sql.param(file_ids)}::bigint[]) > 0 and misplaced is not null
      ), told as (
        select notify(array[opened.learner_user_id], 'private_message', 'private:' || said.id, ${at},
          offering => opened.course_offering_id, about => said.id)
        from opened, said where opened.learner_user_id is not null
      ), done as (
        select 'posted' as verb, 'discussion_post' as object_type, said.id as object_id, permitted.university_id,
               opened.content_item_id, opened.course_offering_id
        from said, opened, permitted
      ), ${recordActivityCte(actor, now, sql`done`)}
      select ${wireColumnsSql(columns)} from activity left join put on true left join told on true,
        opened as discussion_threads ${withAuthor}`,
  ).catch(rethrowMissingFile);
  return thread;
}

/**
 * A private thread of staff with one learner, who is notified. 404 if the learner is not enrolled, 403 or 404
 * if the caller does not teach the offering.
 */
export async function beginPrivateThread(
  db: Db,
  actor: Actor,
  offeringId: number,
  { title = null, body, file_ids = [], ...named }: PrivateThreadCreate,
  now: Date,
): Promise<DiscussionThread> {
  const there = sql`(select university_id from course_offerings where id = ${offeringId})`;
  const permitted = sql`
    select course_offerings.id, course_offerings.university_id, learner.user_id as learner_user_id
    from ${offeringsWithCoursesSql}
    join (${namedMemberQuery(there, named)}) as learner on learner.user_id <> ${actor.id}
    join enrollments as seat on seat.course_offering_id = course_offerings.id and seat.user_id = learner.user_id
      and seat.is_admitted
    where course_offerings.id = ${offeringId} and ${visibleCourseCondition(actor)} and ${moderateDiscussionsCondition(actor)}`;
  const first = { title, body, module_id: null, content_item_id: null, file_ids };
  const thread = await beginThread(db, actor, { permitted, first, now });
  if (thread) return thread;
  const [found] = await rowsOf(
    db,
    z.object({ teaches: z.boolean() }),
    sql`select ${moderateDiscussionsCondition(actor)} as teaches from ${offeringsWithCoursesSql}
        where course_offerings.id = ${offeringId} and ${visibleCourseCondition(actor)}`,
  );
  if (!found) throw notFound("Offering");
  throw found.teaches ? notFound("Enrollment") : forbidden();
}

const moduleOfCourse = (actor: Actor, moduleId: number | null): SQL => sql`
  select from modules
  where modules.id = ${moduleId} and modules.course_id = courses.id and ${visibleModuleCondition(actor)}`;

const itemOfCourse = (actor: Actor, itemId: number | null): SQL => sql`
  select from content_items join modules on modules.id = content_items.module_id
  where content_items.id = ${itemId} and content_items.course_id = courses.id and ${visibleContentItemCondition(actor)}`;

const Changed = z.object({ refusal: z.enum(["no_answer"]).nullable(), thread: DiscussionThreadWithHandover });

/**
 * The author may change the title and mark the answer; staff may also pin and lock. Otherwise 403, or 404 if
 * the caller cannot see the thread. 400 for another thread's answer.
 */
export async function updateThread(
  db: Db,
  actor: Actor,
  threadId: number,
  change: DiscussionThreadUpdate,
): Promise<DiscussionThreadWithHandover> {
  const takesStaff = change.is_pinned !== undefined || change.is_locked !== undefined;
  const own = takesStaff ? sql`false` : sql`discussion_threads.created_by_user_id = ${actor.id}`;
  const [changed] = await rowsOf(
    db,
    Changed,
    sql`
      with permitted as materialized (
        select discussion_threads.id, is_locked, courses.university_id from ${threadsWithCoursesSql}
        where discussion_threads.id = ${threadId} and ${readableThreadCondition(actor)} and (${own} or ${moderateDiscussionsCondition(actor)})
      ), done as materialized (
        select changed.refusal, changed.thread, permitted.is_locked as was_locked, permitted.university_id
        from permitted cross join lateral update_discussion_thread(permitted.id, ${JSON.stringify(change)}::jsonb) as changed
      ), audited as (${insertAuditEventsQuery(
        lockOf(actor, change),
        sql`(
        select * from done where refusal is null and (thread).is_locked <> was_locked) as done`,
      )})
      select done.refusal, (
        select row_to_json(one) from (
          select ${wireColumnsSql({ ...columns, handover: threadHandoverJsonSql(actor) })}
          from (select (done.thread).*) as discussion_threads
          join course_offerings on course_offerings.id = discussion_threads.course_offering_id
          join courses on courses.id = course_offerings.course_id ${withAuthor}) as one) as thread
      from done`,
  );
  if (!changed) return explainThreadRefusal(db, actor, threadId);
  if (changed.refusal)
    throw badRequest(
      "does_not_exist",
      fieldValueMessagePlaceholders("Discussion thread", "answer_post_id", change.answer_post_id),
    );
  return changed.thread;
}

const lockOf = (actor: Actor, { is_locked }: DiscussionThreadUpdate): AuditEntry => ({
  action: is_locked ? "thread.locked" : "thread.unlocked",
  actor: actor.id,
  subject: sql`(thread).created_by_user_id`,
  university: sql`university_id`,
  details: sql`jsonb_build_object('thread_id', (thread).id, 'course_offering_id', (thread).course_offering_id)`,
});

/** Deletes posts too, for staff; audited. 403 for other readers, otherwise 404. */
export async function deleteThread(db: Db, actor: Actor, threadId: number): Promise<void> {
  const act: AuditEntry = {
    action: "thread.deleted",
    actor: actor.id,
    subject: sql`created_by_user_id`,
    university: sql`university_id`,
    details: sql`jsonb_build_object('thread_id', id, 'course_offering_id', course_offering_id)`,
  };
  const { rows } = await db.execute(sql`
    with deleted as (
      delete from discussion_threads using ${offeringsWithCoursesSql}
      where discussion_threads.id = ${threadId} and course_offerings.id = discussion_threads.course_offering_id
        and ${moderateDiscussionsCondition(actor)}
      returning discussion_threads.*, course_offerings.university_id
    ), audited as (${insertAuditEventsQuery(act, sql`deleted`)})
    select from deleted`);
  if (rows.length === 0) await explainThreadRefusal(db, actor, threadId);
}

/** 404 if the caller cannot see the thread, otherwise 403. */
async function explainThreadRefusal(db: Db, actor: Actor, threadId: number): Promise<never> {
  await getThread(db, actor, threadId);
  throw forbidden();
}
