import { and, desc, eq, lt, type SQL, sql } from "drizzle-orm";
import type { ChatMessage, MessagePageQuery } from "../../schema/api/chat.ts";
import { chatMessages, chatSessions, messageFeedback } from "../../schema/db/chat.ts";
import { toInstant } from "../../schema/db/columns.ts";
import type { Actor } from "../auth/actor.ts";
import type { Db } from "../db/client.ts";
import { questionIn } from "../dialogue/question.ts";
import type { StoredAnswer } from "./open-turn.ts";
import { refuseSession } from "./ownership.ts";

/** How many messages a session carries at most; older ones are read by pages. */
export const newestMessages = 100;

/** A message as a row of JSON has it: its moments are still as the database spells them. */
export type MessageRow = Omit<ChatMessage, "question">;

/**
 * The newest messages of a row of `chat_sessions` as JSON, oldest first; one more than a session carries, which tells
 * whether there are older ones. `withFeedback` is for the learner's own eyes.
 */
export const newestOfSession = (withFeedback: boolean): SQL<MessageRow[]> => sql<MessageRow[]>`coalesce((
  select json_agg(json_build_object(
    'id', id, 'role', role, 'content', content, 'meta', meta, 'created_at', created_at,
    'feedback', ${withFeedback ? feedbackOf : sql`null`}) order by id)
  from (select * from chat_messages where session_id = chat_sessions.id order by id desc limit ${newestMessages + 1})
    as message), '[]')`;

const feedbackOf = sql`(
  select json_build_object('rating', rating, 'comment', comment) from message_feedback where message_id = message.id)`;

/** The messages that a session carries, of those that were read, and whether there are older ones. */
export function carried(rows: readonly MessageRow[]): { messages: ChatMessage[]; has_more: boolean } {
  const messages = rows.slice(-newestMessages).map(asMessage);
  return { messages, has_more: rows.length > newestMessages };
}

/** A page of a session's messages, oldest first, before one of them; 404 when there is no session, 403 for another's. */
export async function listMessages(
  db: Db,
  actor: Actor,
  sessionId: number,
  { before, limit }: MessagePageQuery,
): Promise<{ messages: ChatMessage[]; has_more: boolean }> {
  const { id, role, content, meta, created_at } = chatMessages;
  const rows = await db
    .select({
      session: chatSessions.id,
      message: { id, role, content, meta, created_at },
      feedback: { rating: messageFeedback.rating, comment: messageFeedback.comment },
    })
    .from(chatSessions)
    .leftJoin(
      chatMessages,
      and(eq(chatMessages.session_id, chatSessions.id), before ? lt(chatMessages.id, before) : undefined),
    )
    .leftJoin(messageFeedback, eq(messageFeedback.message_id, chatMessages.id))
    .where(and(eq(chatSessions.id, sessionId), eq(chatSessions.user_id, actor.id)))
    .orderBy(desc(chatMessages.id))
    .limit(limit + 1);
  if (rows.length === 0) await refuseSession(db, actor, sessionId);
  const messages = rows.flatMap(({ message, feedback }) => (message ? [{ ...message, feedback }] : []));
  return { messages: messages.slice(0, limit).reverse().map(asMessage), has_more: messages.length > limit };
}

/** A message as it is answered. */
export const asMessage = (message: MessageRow): ChatMessage => ({
  ...message,
  question: message.role === "assistant" ? (questionIn(message.content) ?? null) : null,
  created_at: toInstant(message.created_at),
});

/** An answer that is there, as a message. */
export const messageOf = ({ id, chunks, meta, created_at }: StoredAnswer): ChatMessage =>
  asMessage({ id, role: "assistant", content: chunks.join(""), meta, created_at, feedback: null });
