import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import {
  ChatHandover,
  type ChatHandoverCreate,
  type DiscussionThreadWithHandover,
  maxHandoverSize,
} from "../../schema/api/community/discussions.ts";
import { momentForm } from "../../schema/db/platform/columns.ts";
import { recordActivityCte } from "../courses/activity/record.ts";
import { visibleContentItemCondition } from "../courses/content/visibility.ts";
import { coursePermissionCondition } from "../courses/course-permissions.ts";
import {
  moderateDiscussionsCondition,
  offeringsWithCoursesSql,
  readableDiscussionsCondition,
  readableThreadCondition,
} from "../courses/discussion-access.ts";
import { badRequest, fieldValueMessagePlaceholders, forbidden, notFound } from "../errors.ts";
import type { Actor } from "../identity/auth/actor.ts";
import { itemInTokenReachCondition } from "../identity/auth/token-reach.ts";
import type { Db } from "../platform/db/client.ts";
import { rowsOf, typedSql } from "../platform/db/query/rows.ts";

/*
 * A hand-over is a thread that begins with an excerpt of a tutor conversation. It never enters the tree of
 * shared answers.
 */

/**
 * In a conversation's response: hand-overs, and bytes of replies to each (one of maximum length, or several).
 */
const newestHandovers = 10;
const replyBytes = 32_000;

const questionCharacters = 2000;

/** Of a row of `discussion_threads`, joined with its course; only staff see the node. */
export const threadHandoverJsonSql = (actor: Actor): SQL<DiscussionThreadWithHandover["handover"]> => sql`(
  select json_build_object('content_item_id', discussion_threads.content_item_id, 'excerpt', given.excerpt,
    'node_id', case when ${coursePermissionCondition(actor, "tutor-answer:read")} then given.node_id end)
  from tutor_handovers as given where given.thread_id = discussion_threads.id)`;

const isReplyTo = (actor: Actor): SQL => sql`
  reply.id > asked.id and not reply.is_deleted
  and (not reply.is_hidden or reply.user_id = ${actor.id} or ${moderateDiscussionsCondition(actor)})`;

/** With replies, newest first, for the session's owner; only threads still open to them. */
export const sessionHandoversJsonSql = (actor: Actor): SQL<ChatHandover[]> => typedSql(
  z.array(ChatHandover),
)`coalesce((
  select json_agg(json_build_object(
    'thread_id', given.thread_id, 'course_offering_id', given.course_offering_id, 'visible', given.visible,
    'message_ids', (select json_agg(one -> 'id') from jsonb_array_elements(given.excerpt) as one),
    'question', given.question, 'created_at', given.created_at, 'post_count', given.post_count,
    'replies', given.replies) order by given.thread_id desc)
  from (
    select discussion_threads.id as thread_id, discussion_threads.course_offering_id,
           upper(discussion_threads.visible) as visible, handed.excerpt, left(asked.body, ${questionCharacters}) as question,
           ${momentForm(sql`discussion_threads.created_at`)} as created_at, discussion_threads.post_count,
           (select coalesce(json_agg(json_build_object(
              'post_id', said.id, 'user_id', said.user_id, 'user_name', said.full_name, 'body', said.body,
              'created_at', ${momentForm(sql`said.created_at`)}) order by said.id), '[]')
            from (
              select reply.id, reply.user_id, writer.full_name, reply.body, reply.created_at,
                     sum(octet_length(reply.body)) over (order by reply.id desc) as bytes
              from discussion_posts as reply left join users as writer on writer.id = reply.user_id
              where reply.thread_id = discussion_threads.id and ${isReplyTo(actor)}
              order by reply.id desc limit 50) as said
            where said.bytes <= ${replyBytes}) as replies
    from tutor_handovers as handed
    join discussion_threads on discussion_threads.id = handed.thread_id
    join course_offerings on course_offerings.id = discussion_threads.course_offering_id
    join courses on courses.id = course_offerings.course_id
    cross join lateral (
      select first.id, first.body from discussion_posts as first
      where first.thread_id = discussion_threads.id order by first.id limit 1) as asked
    where handed.session_id = chat_sessions.id and ${readableThreadCondition(actor)}
    order by handed.id desc limit ${newestHandovers}
  ) as given), '[]')`;

const Outcome = z.object({
  is_own: z.boolean(),
  is_shown: z.boolean(),
  is_of_course: z.boolean(),
  takes_part: z.boolean(),
  /** The first named message that is not in the conversation. */
  missing: z.int().nullable(),
  characters: z.int(),
  handover: ChatHandover.nullable(),
});

/**
 * Creates a thread with an excerpt of the caller's conversation, notifies the teachers and records the
 * activity. 404 without the conversation or if its item is hidden. 403 for another user's conversation, and
 * outside the offering's discussions. 400 for another course's offering, an unknown message or too long an
 * excerpt.
 */
export async function createHandover(
  db: Db,
  actor: Actor,
  sessionId: number,
  input: ChatHandoverCreate,
  now: Date,
): Promise<ChatHandover> {
  const [outcome] = await rowsOf(db, Outcome, statement(actor, sessionId, input, now));
  if (!outcome) throw notFound("Chat session");
  if (!outcome.is_own) throw forbidden("not_your_session");
  if (!outcome.is_shown) throw notFound("Content item");
  if (!outcome.is_of_course)
    throw badRequest(
      "does_not_exist",
      fieldValueMessagePlaceholders("Hand-over", "course_offering_id", input.course_offering_id),
    );
  if (!outcome.takes_part) throw forbidden("not_enrolled");
  if (outcome.missing !== null)
    throw badRequest(
      "does_not_exist",
      fieldValueMessagePlaceholders("Hand-over", "message_ids", outcome.missing),
    );
  if (outcome.characters > maxHandoverSize.characters)
    throw badRequest("handover_too_long", {
      characters: outcome.characters,
      most: maxHandoverSize.characters,
    });
  if (!outcome.handover) throw notFound("Chat session");
  return outcome.handover;
}

/**
 * Notifies teachers of the offering of a row of `opened` and `asked`, and returns their number. A teacher
 * with an unread hand-over is not notified again: the inbox lists all.
 */
const notifiedOfHandover = (actor: Actor, at: string): SQL => sql`notify(array(
    select teacher.user_id from offering_teachers as teacher
    where teacher.course_offering_id = opened.course_offering_id and teacher.user_id <> ${actor.id}
      and is_staff_of_offering(teacher.user_id, opened.course_offering_id) and not exists (
        select from notifications as unread
        where unread.user_id = teacher.user_id and unread.kind = 'tutor_handover' and unread.read_at is null
          and unread.course_offering_id = opened.course_offering_id)
  ), 'tutor_handover', 'handover:' || asked.id, ${at}, offering => opened.course_offering_id, about => asked.id)`;

function statement(
  actor: Actor,
  sessionId: number,
  { message_ids, question, visible, course_offering_id }: ChatHandoverCreate,
  now: Date,
): SQL {
  const offering = course_offering_id ?? null;
  const at = now.toISOString();
  const ids = sql`${sql.param([...new Set(message_ids)])}::bigint[]`;
  const own = sql`chat_sessions.user_id = ${actor.id}`;
  const within = itemInTokenReachCondition(actor, sql`chat_sessions.content_item_id`);
  return sql`
    with session as materialized (
      select chat_sessions.id, content_item_id, content_items.course_id, content_items.university_id, content_items.title,
             ${within ? sql`(${own} and ${within})` : own} as is_own, ${visibleContentItemCondition(actor)} as is_shown
      from chat_sessions
      join content_items on content_items.id = chat_sessions.content_item_id
      join modules on modules.id = content_items.module_id
      join courses on courses.id = content_items.course_id
      where chat_sessions.id = ${sessionId} for key share of chat_sessions
    ), run as materialized (${offeringOf(actor, offering)}), said as materialized (
      select chat_messages.* from session join chat_messages on chat_messages.session_id = session.id
      where session.is_own and chat_messages.id = any (${ids})
    ), excerpt as materialized (
      select count(*) as messages, coalesce(sum(length(content)), 0)::int as characters,
             jsonb_agg(jsonb_build_object('id', id, 'role', role, 'content', content,
               'created_at', ${momentForm(sql`said.created_at`)}) order by id) as told,
             (array_agg(cache_node_id order by id desc) filter (where role = 'assistant'))[1] as node_id
      from said
    ), node as materialized (
      select id from cache_nodes where id = (select node_id from excerpt) for key share
    ), opened as (
      insert into discussion_threads (course_offering_id, content_item_id, created_by_user_id, title, visible, created_at,
                                      post_count, last_post_at)
      select run.id, session.content_item_id, ${actor.id}, session.title, lower(${visible}), ${at}, 1, ${at}
      from session, run, excerpt
      where is_own and is_shown and messages = cardinality(${ids}) and characters <= ${maxHandoverSize.characters}
      returning *
    ), asked as (
      insert into discussion_posts (thread_id, user_id, body, created_at, updated_at)
      select id, ${actor.id}, ${question}, ${at}, ${at} from opened returning *
    ), handed as (
      insert into tutor_handovers (thread_id, user_id, session_id, node_id, excerpt)
      select opened.id, ${actor.id}, ${sessionId}, (select id from node), told from opened, excerpt returning *
    ), told as materialized (
      select ${notifiedOfHandover(actor, at)} as people from opened, asked
    ), done as (
      select 'posted' as verb, 'discussion_post' as object_type, asked.id as object_id, session.university_id,
             opened.content_item_id, opened.course_offering_id
      from asked, opened, session
    ), ${recordActivityCte(actor, now, sql`done`)}
    select is_own, is_shown, exists (select from run) as takes_part, ${isOfCourse(offering)} as is_of_course,
           (select min(one) from unnest(${ids}) as one where not exists (select from said where said.id = one)) as missing,
           characters, ${newHandover} as handover
    from session cross join excerpt left join activity on true left join told on true`;
}

/** The named offering, otherwise one that the caller takes, or else teaches. */
const offeringOf = (actor: Actor, offering: number | null): SQL => sql`
  select course_offerings.id from session join (${offeringsWithCoursesSql}) on courses.id = session.course_id
  left join enrollments as mine on mine.course_offering_id = course_offerings.id and mine.user_id = ${actor.id}
    and mine.is_admitted
  where session.is_own and (${offering}::int is null or course_offerings.id = ${offering}::int) and ${readableDiscussionsCondition(actor)}
  order by mine.enrolled_at desc nulls last, course_offerings.id desc limit 1`;

const isOfCourse = (offering: number | null): SQL => sql`(${offering}::int is null or exists (
  select from course_offerings where id = ${offering}::int and course_id = session.course_id))`;

const newHandover = sql`(
  select json_build_object(
    'thread_id', opened.id, 'course_offering_id', opened.course_offering_id, 'visible', upper(opened.visible),
    'message_ids', (select json_agg(one -> 'id') from jsonb_array_elements(handed.excerpt) as one),
    'question', asked.body, 'created_at', ${momentForm(sql`opened.created_at`)}, 'post_count', 1, 'replies', '[]'::json)
  from opened, asked, handed)`;
