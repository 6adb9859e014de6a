import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { ChatMessage } from "../../schema/api/chat.ts";
import { chatSessions } from "../../schema/db/chat.ts";
import { toInstant } from "../../schema/db/columns.ts";
import type { Actor } from "../auth/actor.ts";
import { personAtItem } from "../auth/token-reach.ts";
import type { ReadDb } from "../db/client.ts";
import { StoredInstant, valueAs } from "../db/query/rows.ts";
import { questionIn } from "../dialogue/answer-reader.ts";
import type { StoredAnswer } from "./open-turn.ts";
import { explainSessionRefusal, ownSession } from "./ownership.ts";
import { sourcesFor } from "./sources.ts";

/** How many messages a session carries at most; older ones are read by pages. */
const newestMessages = 100;

/** How many bytes they have at most together, which leaves an answer room for the session itself. */
const pageBytes = 4 * 1024 * 1024;

/** A message as a row of JSON has it: its moments are still as the database spells them. */
const MessageRow = ChatMessage.omit({ question: true }).extend({ created_at: StoredInstant });

export type MessageRow = z.output<typeof MessageRow>;

type Page = { before?: number | undefined; limit: number };

/**
 * The newest messages of a row of `chat_sessions` as JSON, oldest first, or those before one of them; one more than a
 * page carries, which tells whether there are older ones. Feedback and sources are for the learner's own eyes.
 */
export const newestOfSession = (
  owner: Actor | undefined,
  { before, limit }: Page = { limit: newestMessages },
): SQL<MessageRow[]> => valueAs(z.array(MessageRow))`coalesce((
  select json_agg(json_build_object(
    'id', id, 'role', role, 'content', content, 'meta', meta, 'created_at', created_at,
    'feedback', ${owner ? feedbackOf : sql`null`}, 'sources', ${owner ? sourcesFor((item) => sql`${personAtItem(owner, item)}`) : sql`'[]'::json`}) order by id)
  from (select *, sum(octet_length(content)) over (order by id desc) - octet_length(content) as newer_bytes
        from chat_messages where session_id = chat_sessions.id ${before ? sql`and id < ${before}` : sql``}
        order by id desc limit ${limit + 1}) as message
  where newer_bytes <= ${pageBytes}), '[]')`;

const feedbackOf = sql`(
  select json_build_object('rating', rating, 'comment', comment) from message_feedback where message_id = message.id)`;

/** The messages that a page carries, of those that were read, and whether there are older ones. */
export function carried(
  rows: readonly MessageRow[],
  limit = newestMessages,
): { messages: ChatMessage[]; has_more: boolean } {
  const messages = newestThatFit(rows.slice(-limit).map(asMessage));
  return { messages, has_more: rows.length > messages.length };
}

/** The newest messages, as many as have `pageBytes` together; always one. */
function newestThatFit(messages: ChatMessage[]): ChatMessage[] {
  // A character has six bytes at most as JSON, and may stand in the content and in its question.
  const characters = messages.reduce((sum, { content }) => sum + content.length, 0);
  if (characters * 12 <= pageBytes) return messages;
  let left = pageBytes;
  const oldest = messages.findLastIndex((message, index) => {
    left -= Buffer.byteLength(JSON.stringify(message));
    return left < 0 && index < messages.length - 1;
  });
  return messages.slice(oldest + 1);
}

/** A page of a session's messages, oldest first, before one of them; 404 when there is no session, 403 for another's. */
export async function listMessages(
  db: ReadDb,
  actor: Actor,
  sessionId: number,
  page: Page,
): Promise<{ messages: ChatMessage[]; has_more: boolean }> {
  const [session] = await db
    .select({ messages: newestOfSession(actor, page) })
    .from(chatSessions)
    .where(ownSession(actor, sessionId));
  if (!session) await explainSessionRefusal(db, actor, sessionId);
  return carried(session?.messages ?? [], page.limit);
}

/** A message as it is answered. */
const asMessage = (message: MessageRow): ChatMessage => ({
  ...message,
  question: message.role === "assistant" ? (questionIn(message.content) ?? null) : null,
  created_at: toInstant(message.created_at),
});

/** An answer that is there, as a message. */
export const messageOf = ({ id, chunks, meta, created_at, sources = [] }: StoredAnswer): ChatMessage =>
  asMessage({
    id,
    role: "assistant",
    content: chunks.join(""),
    meta,
    created_at,
    feedback: null,
    sources,
  });
