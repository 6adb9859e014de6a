import { and, count, eq, max, type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type {
  ChatSession,
  ChatSessionCreate,
  ChatSessionListQuery,
  ChatSessionSummary,
  ChatSessionUpdate,
  ChatSessionWithMessages,
} from "../../schema/api/chat.ts";
import { JsonObject } from "../../schema/api/fields.ts";
import { chatMessages, chatSessions } from "../../schema/db/chat.ts";
import { toInstant } from "../../schema/db/columns.ts";
import { contentItems } from "../../schema/db/content-items.ts";
import { contentTypes } from "../../schema/db/content-types.ts";
import { courses } from "../../schema/db/courses.ts";
import { modules } from "../../schema/db/modules.ts";
import type { Actor } from "../auth/actor.ts";
import { refuseByReach } from "../auth/own-providers.ts";
import { admitsToken } from "../auth/token-reach.ts";
import { type AccessRefusal, itemRefusal, refusalFor } from "../content/item-access.ts";
import { studentView } from "../content/student-view.ts";
import type { Db, ReadDb } from "../db/client.ts";
import { descending, pageOf } from "../db/query/page.ts";
import { partialUpdate } from "../db/query/partial-update.ts";
import { StoredInstant, valueAs } from "../db/query/rows.ts";
import { forbidden, inactiveUniversity, notFound } from "../errors.ts";
import { moduleVisibleTo } from "../modules/visibility.ts";
import type { ListPage } from "../results/list-page.ts";
import { asideColumns, type Beside, besideOf, refuseAside, unlessGone } from "./asides.ts";
import { fingerprintsOf, learnersContext, notReadIn } from "./content-context.ts";
import { carried, newestOfSession } from "./messages.ts";
import { explainSessionRefusal, ownSession, ownSessions } from "./ownership.ts";

const summaryColumns = {
  id: chatSessions.id,
  user_id: chatSessions.user_id,
  content_item_id: chatSessions.content_item_id,
  share_enabled: chatSessions.share_enabled,
  share_token: chatSessions.share_token,
  cache_node_id: chatSessions.cache_node_id,
  cache_state: chatSessions.cache_state,
  title: chatSessions.title,
  aside_of: chatSessions.aside_of_id,
  closed_at: chatSessions.closed_at,
  created_at: chatSessions.created_at,
  updated_at: chatSessions.updated_at,
};

const sessionColumns = {
  ...summaryColumns,
  content_context: chatSessions.content_context,
  cache_enabled: valueAs(z.boolean())`(
    select course.cache_enabled from content_items as item join courses as course on course.id = item.course_id
    where item.id = ${chatSessions.content_item_id})`,
};

/**
 * Begins a conversation about a content item, or an aside of another one; 404 unless the item is active and the caller may see it, 403 where it
 * takes an enrollment that they do not have or is locked for them, where the university is inactive, or the caller's
 * token does not reach it. An aside as `refuseAside` says.
 */
export async function createSession(
  db: Db,
  actor: Actor,
  { content_item_id: contentItemId, aside_of }: ChatSessionCreate,
  { now, mostMaterial }: { now: Date; mostMaterial: number },
): Promise<ChatSession> {
  const found = await snapshot(db, and(eq(contentItems.id, contentItemId), topicOpenTo(actor)), {
    gate: itemRefusal(contentItems.id, actor, now),
    has_tutor: valueAs(
      z.boolean(),
    )`(select university.is_active from universities as university where university.id = content_items.university_id)`,
    is_reached: valueAs(z.boolean())`${admitsToken(actor, sql`content_items.university_id`)}`,
    beside: besideOf(actor, aside_of),
  });
  if (!found) throw notFound("Content item");
  const { gate, has_tutor, is_reached, beside, ...item } = found;
  if (!is_reached) await refuseByReach(db, actor, item.university_id);
  if (!has_tutor) throw inactiveUniversity();
  if (gate) throw refusalFor(gate);
  if (aside_of !== undefined) refuseAside(beside, contentItemId);
  const context = { ...item, data_json: studentView(item.content_type, item.data_json) };
  const [session] = await unlessGone(
    db
      .insert(chatSessions)
      .values({
        user_id: actor.id,
        content_item_id: contentItemId,
        content_context: context,
        ...fingerprintsOf(item, mostMaterial),
        ...(aside_of !== undefined && asideColumns(aside_of)),
      })
      .returning(sessionColumns),
  );
  if (!session) throw notFound("Content item");
  return { ...session, not_read: notReadIn(context, mostMaterial) };
}

/** The caller's sessions, newest first, without the material, each with the count and the moment of its messages. */
export async function listSessions(
  db: ReadDb,
  actor: Actor,
  { content_item_id, ...query }: ChatSessionListQuery,
): Promise<ListPage<ChatSessionSummary>> {
  const page = pageOf(query, [descending(chatSessions.created_at), descending(chatSessions.id)]);
  const messages = db
    .select({
      message_count: count().as("message_count"),
      last_message_at: max(chatMessages.created_at).as("last_message_at"),
    })
    .from(chatMessages)
    .where(eq(chatMessages.session_id, chatSessions.id))
    .as("messages");
  const rows = await db
    .select({
      ...summaryColumns,
      content_context: valueAs(
        JsonObject,
      )`${chatSessions.content_context} - ${sql.param(["data_json", "description"])}::text[]`,
      message_count: messages.message_count,
      last_message_at: messages.last_message_at,
      page_key: page.key,
    })
    .from(chatSessions)
    .leftJoinLateral(messages, sql`true`)
    .where(
      page.where(
        and(
          ownSessions(actor),
          content_item_id === undefined ? undefined : eq(chatSessions.content_item_id, content_item_id),
        ),
      ),
    )
    .orderBy(page.order)
    .offset(page.skip)
    .limit(page.limit);
  return page.part(rows).map((row) => ({ ...row, message_count: row.message_count ?? 0 }));
}

/** A session with its newest messages, oldest first; 404 when there is none, 403 when it is another's. */
export async function getSession(
  db: ReadDb,
  actor: Actor,
  sessionId: number,
  mostMaterial: number,
): Promise<ChatSessionWithMessages> {
  const [found] = await db
    .select({
      ...sessionColumns,
      answering,
      messages: newestOfSession(true),
      is_own: valueAs(z.boolean())`(${ownSessions(actor)})`,
    })
    .from(chatSessions)
    .where(eq(chatSessions.id, sessionId));
  if (!found) throw notFound("Chat session");
  const { is_own, ...session } = found;
  if (!is_own) throw forbidden("Not your chat session");
  const { since, message_id } = session.answering ?? {};
  return {
    ...session,
    content_context: learnersContext(session.content_context),
    not_read: notReadIn(session.content_context, mostMaterial),
    answering: since && message_id ? { since: toInstant(since), message_id } : null,
    ...carried(session.messages),
  };
}

/** The message that is being answered, for as long as its answer may take. */
const answering = valueAs(z.object({ since: StoredInstant, message_id: z.int() }).nullable())`case
  when ${chatSessions.answering_since} > now() - answer_limit()
    then json_build_object('since', ${chatSessions.answering_since} + clock_offset(), 'message_id', ${chatSessions.answering_message_id})
  end`;

/** Names a session, or takes its name from it; 404 when there is none, 403 when it is another's. */
export async function updateSession(
  db: Db,
  actor: Actor,
  sessionId: number,
  change: ChatSessionUpdate,
  mostMaterial: number,
): Promise<ChatSession> {
  const [session] = await db
    .update(chatSessions)
    .set(partialUpdate(change, chatSessions))
    .where(ownSession(actor, sessionId))
    .returning(sessionColumns);
  if (!session) {
    await explainSessionRefusal(db, actor, sessionId);
    throw notFound("Chat session");
  }
  return {
    ...session,
    content_context: learnersContext(session.content_context),
    not_read: notReadIn(session.content_context, mostMaterial),
  };
}

/** Deletes a session with its messages and its asides; 404 when there is none, 403 when it is another's. */
export async function deleteSession(db: Db, actor: Actor, sessionId: number): Promise<void> {
  const deleted = await db
    .delete(chatSessions)
    .where(ownSession(actor, sessionId))
    .returning({ id: chatSessions.id });
  if (deleted.length === 0) await explainSessionRefusal(db, actor, sessionId);
}

const topicOpenTo = (actor: Actor): SQL | undefined =>
  and(eq(contentItems.is_active, true), moduleVisibleTo(actor));

async function snapshot(
  db: Db,
  where: SQL | undefined,
  asked: {
    gate: SQL<AccessRefusal | null>;
    has_tutor: SQL<boolean>;
    is_reached: SQL<boolean>;
    beside: SQL<Beside | null>;
  },
) {
  const [item] = await db
    .select({
      content_item_id: contentItems.id,
      module_id: contentItems.module_id,
      course_id: contentItems.course_id,
      university_id: contentItems.university_id,
      title: contentItems.title,
      description: contentItems.description,
      content_type: contentTypes.name,
      data_json: contentItems.data_json,
      module_title: modules.title,
      course_title: courses.title,
      course_code: courses.code,
      language: courses.language_code,
      ...asked,
    })
    .from(contentItems)
    .innerJoin(contentTypes, eq(contentTypes.id, contentItems.content_type_id))
    .innerJoin(modules, eq(modules.id, contentItems.module_id))
    .innerJoin(courses, eq(courses.id, contentItems.course_id))
    .where(where);
  return item;
}
