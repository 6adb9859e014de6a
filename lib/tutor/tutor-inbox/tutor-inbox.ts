import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { minPeopleInStatistic, TutorInbox } from "../../../schema/api/tutor/tutor-inbox.ts";
import { momentForm } from "../../../schema/db/platform/columns.ts";
import { threadWaitingForStaffCondition } from "../../community/waiting-threads.ts";
import { coursePermissionCondition } from "../../courses/course-permissions.ts";
import {
  hasDiscussionAccess,
  moderateDiscussionsCondition,
  offeringsWithCoursesSql,
} from "../../courses/discussion-access.ts";
import { forbidden } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { partsNotReadByTutor } from "../chat/content-context.ts";
import { itemFileTextsJsonQuery } from "../chat/file-texts.ts";

/*
 * The tutor's tasks for an offering's staff, in one round trip. Statistics cover at least five people;
 * hand-overs name the learner, who agreed to it.
 */

const maxInboxHandovers = 50;
const maxInboxNodes = 20;
const maxInboxItems = 30;
const maxInboxUnreadDocuments = 20;

/** Of items whose unread parts are listed. */
const dataBytes = 2 * 1024 * 1024;

const Item = z.object({
  content_item_id: z.int(),
  title: z.string(),
  content_type: z.string(),
  data_json: z.record(z.string(), z.unknown()),
  file_texts: z.array(z.unknown()).nullable(),
  knows_pool: z.boolean(),
});

const Row = TutorInbox.omit({ not_read: true }).extend({ items: z.array(Item) });

/** For the offering's staff: 403 for others who see it, else 404. */
export async function getTutorInbox(
  db: ReadDb,
  actor: Actor,
  offeringId: number,
  maxMaterial: number,
): Promise<TutorInbox> {
  const readsAnswers = coursePermissionCondition(actor, "tutor-answer:read");
  const [found] = await rowsOf(
    db,
    Row,
    sql`
      select ${listOf(openHandovers(readsAnswers))} as handovers, ${listOf(worstNodes(readsAnswers))} as worst_nodes,
             ${listOf(malformed)} as malformed, ${listOf(failedAnswers(readsAnswers))} as failed_answers, ${listOf(mostTalkedAbout)} as items
      from ${offeringsWithCoursesSql} where course_offerings.id = ${offeringId} and ${moderateDiscussionsCondition(actor)}`,
  );
  if (!found) {
    await hasDiscussionAccess(db, actor, offeringId);
    throw forbidden();
  }
  const { items, ...inbox } = found;
  return { ...inbox, not_read: unreadOf(items, maxMaterial) };
}

const listOf = (rows: SQL): SQL => sql`(select coalesce(json_agg(one), '[]') from (${rows}) as one)`;

function unreadOf(items: z.output<typeof Item>[], maxMaterial: number): TutorInbox["not_read"] {
  return items.flatMap(({ content_item_id, title, knows_pool, ...item }) => {
    const not_read = partsNotReadByTutor({ title, ...item }, maxMaterial, { knows_pool }).slice(
      0,
      maxInboxUnreadDocuments,
    );
    return not_read.length > 0 ? [{ content_item_id, title, not_read }] : [];
  });
}

const openHandovers = (readsAnswers: SQL): SQL => sql`
  select thread.id as thread_id, thread.content_item_id, thread.title, upper(thread.visible) as visible,
         thread.created_by_user_id as user_id, writer.full_name as user_name, left(asked.body, 500) as question,
         case when ${readsAnswers} then given.node_id end as node_id, thread.post_count,
         ${momentForm(sql`thread.last_post_at`)} as last_post_at, ${momentForm(sql`thread.created_at`)} as created_at
  from discussion_threads as thread
  join tutor_handovers as given on given.thread_id = thread.id
  join users as writer on writer.id = thread.created_by_user_id
  cross join lateral (
    select body from discussion_posts where thread_id = thread.id order by id limit 1) as asked
  where thread.course_offering_id = course_offerings.id and ${threadWaitingForStaffCondition}
  order by thread.last_post_at, thread.id limit ${maxInboxHandovers}`;

/** Enrolled in the offering, now or before. */
const people = sql`(
  select user_id from enrollments as mine where mine.course_offering_id = course_offerings.id and mine.status <> 'dropped')`;

const worstNodes = (readsAnswers: SQL): SQL => sql`
  with off as (
    select talk.cache_node_id as node_id, talk.user_id, 'departure' as kind
    from chat_sessions as talk join content_items as item on item.id = talk.content_item_id
    where item.course_id = courses.id and talk.user_id in ${people} and talk.cache_state = 'diverged'
      and talk.aside_of_id is null and talk.cache_node_id is not null
    union all
    select rated.node_id, talk.user_id, 'down'
    from message_feedback as rated join chat_messages as said on said.id = rated.message_id
    join chat_sessions as talk on talk.id = said.session_id
    join content_items as item on item.id = talk.content_item_id
    where item.course_id = courses.id and talk.user_id in ${people} and rated.rating = 'down' and rated.node_id is not null
  ), counted as (
    select node_id, count(*) as marks, ${ofEnough("down")} as downs, ${ofEnough("departure")} as departures
    from off group by node_id having count(distinct user_id) >= ${minPeopleInStatistic}
  )
  select node.id as node_id, node.content_item_id, item.title, node.message, left(node.answer, 300) as answer,
         counted.downs, counted.departures
  from counted join cache_nodes as node on node.id = counted.node_id
  join content_items as item on item.id = node.content_item_id
  where ${readsAnswers} order by counted.marks desc, node.id limit ${maxInboxNodes}`;

const ofEnough = (kind: string): SQL => sql`case
  when count(distinct user_id) filter (where kind = ${kind}) >= ${minPeopleInStatistic}
  then (count(*) filter (where kind = ${kind}))::int end`;

const malformed = sql`
  select item.id as content_item_id, item.title, count(*)::int as answers
  from chat_sessions as talk join content_items as item on item.id = talk.content_item_id
  join chat_messages as said on said.session_id = talk.id
  where item.course_id = courses.id and talk.user_id in ${people} and talk.updated_at > service_now() - interval '30 days'
    and said.meta ->> 'stop' = 'malformed' and said.created_at > service_now() - interval '30 days'
  group by item.id, item.title having count(distinct talk.user_id) >= ${minPeopleInStatistic}
  order by answers desc, item.id limit ${maxInboxNodes}`;

const failedAnswers = (readsAnswers: SQL): SQL => sql`
  select failed.id, failed.content_item_id, item.title, failed.message, failed.prompt_name, failed.prompt_version,
         failed.model, failed.failed, failed.answer, failed.second_failed, failed.second_answer, failed.node_id,
         ${momentForm(sql`failed.created_at`)} as created_at
  from failed_answers as failed join content_items as item on item.id = failed.content_item_id
  where item.course_id = courses.id and ${readsAnswers}
    and failed.created_at > service_now() - interval '30 days'
  order by failed.created_at desc, failed.id desc limit ${maxInboxNodes}`;

const mostTalkedAbout = sql`
  select content_item_id, title, content_type, data_json, (${itemFileTextsJsonQuery(sql`content_item_id`)}) as file_texts,
         exists (
           select from told_pools where told_pools.content_item_id = most.content_item_id and pool is not null
         ) as knows_pool
  from (
    select item.id as content_item_id, item.title, type.name as content_type, item.data_json, talked.sessions,
           sum(octet_length(item.data_json::text)) over (order by talked.sessions desc, item.id) as bytes
    from (
      select talk.content_item_id as id, count(*) as sessions from chat_sessions as talk
      join content_items as its on its.id = talk.content_item_id
      where its.course_id = courses.id and its.is_active group by talk.content_item_id
      order by sessions desc, id limit ${maxInboxItems}
    ) as talked join content_items as item on item.id = talked.id
    join content_types as type on type.id = item.content_type_id
  ) as most where bytes <= ${dataBytes} order by sessions desc, content_item_id`;
