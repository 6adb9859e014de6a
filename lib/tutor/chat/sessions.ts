import { and, eq } from "drizzle-orm";
import type { SelectResultFields } from "drizzle-orm/query-builders/select.types";
import * as z from "zod";
import type { ChatSessionUpdate, ChatSessionWithMessages } from "../../../schema/api/tutor/chat.ts";
import { contentItems } from "../../../schema/db/courses/content-items.ts";
import { toInstant } from "../../../schema/db/platform/columns.ts";
import { chatSessions } from "../../../schema/db/tutor/chat.ts";
import { sessionHandoversJsonSql } from "../../community/handovers.ts";
import { forbidden, notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { partialUpdateValues } from "../../platform/db/query/partial-update.ts";
import { StoredInstant, typedSql } from "../../platform/db/query/rows.ts";
import { messagePage, newestMessagesJsonSql } from "./messages.ts";
import { ensureOwnSession, ownSessionCondition, ownSessionWithIdCondition } from "./ownership.ts";
import { learnerViewWithUnreadParts, sessionColumns } from "./session-columns.ts";

/** With its newest messages, oldest first. 404 if there is none, 403 for another person's. */
export async function getSession(
  db: ReadDb,
  actor: Actor,
  sessionId: number,
  maxMaterial: number,
): Promise<ChatSessionWithMessages> {
  const [found] = await db
    .select({ ...columnsWithMessages(actor), is_own: typedSql(z.boolean())`(${ownSessionCondition(actor)})` })
    .from(chatSessions)
    // The join forces qualified column names; others would resolve differently in the embedded SQL.
    .innerJoin(contentItems, eq(contentItems.id, chatSessions.content_item_id))
    .where(eq(chatSessions.id, sessionId));
  if (!found) throw notFound("Chat session");
  const { is_own, ...session } = found;
  if (!is_own) throw forbidden("not_your_session");
  return shown(session, maxMaterial);
}

/** The message being answered, within the time limit of answers. */
const answering = typedSql(z.object({ since: StoredInstant, message_id: z.int() }).nullable())`case
  when ${chatSessions.answering_since} > now() - answer_time_limit()
    then json_build_object('since', ${chatSessions.answering_since} + clock_offset(), 'message_id', ${chatSessions.answering_message_id})
  end`;

const columnsWithMessages = (actor: Actor) => ({
  ...sessionColumns,
  answering,
  messages: newestMessagesJsonSql(actor),
  handovers: sessionHandoversJsonSql(actor),
});

type Found = SelectResultFields<ReturnType<typeof columnsWithMessages>>;

function shown(session: Found, maxMaterial: number): ChatSessionWithMessages {
  const { since, message_id } = session.answering ?? {};
  return {
    ...learnerViewWithUnreadParts(session, maxMaterial),
    answering: since && message_id ? { since: toInstant(since), message_id } : null,
    ...messagePage(session.messages),
  };
}

/** Null clears the name. 404 if there is none, 403 for another person's. */
export async function updateSession(
  db: Db,
  actor: Actor,
  sessionId: number,
  change: ChatSessionUpdate,
  maxMaterial: number,
): Promise<ChatSessionWithMessages> {
  const [session] = await db
    .update(chatSessions)
    .set(partialUpdateValues(change, chatSessions))
    // As in `getSession`.
    .from(contentItems)
    .where(
      and(ownSessionWithIdCondition(actor, sessionId), eq(contentItems.id, chatSessions.content_item_id)),
    )
    .returning(columnsWithMessages(actor));
  if (!session) {
    await ensureOwnSession(db, actor, sessionId);
    throw notFound("Chat session");
  }
  return shown(session, maxMaterial);
}

/** Deletes messages and asides too. 404 if there is none, 403 for another person's. */
export async function deleteSession(db: Db, actor: Actor, sessionId: number): Promise<void> {
  const deleted = await db
    .delete(chatSessions)
    .where(ownSessionWithIdCondition(actor, sessionId))
    .returning({ id: chatSessions.id });
  if (deleted.length === 0) await ensureOwnSession(db, actor, sessionId);
}
