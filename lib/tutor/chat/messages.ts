import { and, type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { ChatMessage } from "../../../schema/api/tutor/chat.ts";
import { toInstant } from "../../../schema/db/platform/columns.ts";
import { chatSessions } from "../../../schema/db/tutor/chat.ts";
import type { Question } from "../../../schema/question.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { personIdIfItemInTokenReachSql, type TokenLimits } from "../../identity/auth/token-reach.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { StoredInstant, typedSql } from "../../platform/db/query/rows.ts";
import { findLastQuestion } from "../dialogue/answer-reader.ts";
import { availableMoves } from "../dialogue/moves.ts";
import { ensureOwnSession, ownSessionCondition, ownSessionWithIdCondition } from "./ownership.ts";
import { visibleSourcesJsonSql } from "./sources.ts";
import type { StoredAnswer } from "./stored-answer.ts";

/** In a session's response; older messages are paginated. */
const newestMessages = 100;

/** Leaves room for the session. */
const pageBytes = 4 * 1024 * 1024;

/** From JSON, with the database's timestamps. */
const MessageRow = ChatMessage.omit({ question: true, moves: true }).extend({
  created_at: StoredInstant,
  has_key: z.boolean(),
  carried: z.custom<Question>().nullable(),
});

export type MessageRow = z.output<typeof MessageRow>;

type Page = { before?: number | undefined; limit: number };

/**
 * The newest messages of a `chat_sessions` row as JSON, oldest first, optionally before a given one. Reads
 * one more than a page, to detect older ones. Ratings and sources are for the learner only.
 */
export const newestMessagesJsonSql = (
  owner: (TokenLimits & { id: number }) | undefined,
  { before, limit }: Page = { limit: newestMessages },
): SQL<MessageRow[]> => typedSql(z.array(MessageRow))`coalesce((
  select json_agg(json_build_object(
    'id', id, 'role', role, 'content', content, 'meta', meta, 'created_at', created_at,
    'has_key', ${owner ? hasKey : sql`false`}, 'carried', case when meta ? 'move' then question end,
    'feedback', ${owner ? feedbackOf : sql`null`}, 'sources', ${owner ? visibleSourcesJsonSql((item) => sql`${personIdIfItemInTokenReachSql(owner, item)}`) : sql`'[]'::json`}) order by id)
  from (select *, sum(octet_length(content)) over (order by id desc) - octet_length(content) as newer_bytes
        from chat_messages where session_id = chat_sessions.id ${before ? sql`and id < ${before}` : sql``}
        order by id desc limit ${limit + 1}) as message
  where newer_bytes <= ${pageBytes}), '[]')`;

/** An answer's question has a key: its own, or its node's if that asks the same question. */
const hasKey = sql`(question_key is not null or exists (
  select from cache_nodes as node where node.id = message.cache_node_id and node.question_key is not null
    and (node.answer = message.content or is_same_question(node.question, message.question))))`;

const feedbackOf = sql`(
  select json_build_object('rating', rating, 'comment', comment) from message_feedback where message_id = message.id)`;

export function messagePage(
  rows: readonly MessageRow[],
  limit = newestMessages,
): { messages: ChatMessage[]; has_more: boolean } {
  const messages = newestThatFit(rows.slice(-limit).map(asMessage));
  return { messages, has_more: rows.length > messages.length };
}

/** At least one message. */
function newestThatFit(messages: ChatMessage[]): ChatMessage[] {
  // A character has at most six bytes in JSON and may occur in content and question.
  const characters = messages.reduce((sum, { content }) => sum + content.length, 0);
  if (characters * 12 <= pageBytes) return messages;
  let left = pageBytes;
  const oldest = messages.findLastIndex((message, index) => {
    left -= Buffer.byteLength(JSON.stringify(message));
    return left < 0 && index < messages.length - 1;
  });
  return messages.slice(oldest + 1);
}

/** Oldest first. 404 if there is no session, 403 for another person's. */
export async function listMessages(
  db: ReadDb,
  actor: Actor,
  sessionId: number,
  page: Page,
): Promise<{ messages: ChatMessage[]; has_more: boolean }> {
  const [session] = await db
    .select({ messages: newestMessagesJsonSql(actor, page) })
    .from(chatSessions)
    .where(ownSessionWithIdCondition(actor, sessionId));
  if (!session) await ensureOwnSession(db, actor, sessionId);
  return messagePage(session?.messages ?? [], page.limit);
}

/** Undefined if it is gone. */
export async function findOwnMessage(
  db: ReadDb,
  caller: TokenLimits & { id: number },
  id: number | undefined,
): Promise<ChatMessage | undefined> {
  if (id === undefined) return undefined;
  const [session] = await db
    .select({ messages: newestMessagesJsonSql(caller, { before: id + 1, limit: 1 }) })
    .from(chatSessions)
    .where(
      and(
        sql`${chatSessions.id} = (select session_id from chat_messages where id = ${id})`,
        ownSessionCondition(caller),
      ),
    );
  return session?.messages.map(asMessage).find((message) => message.id === id);
}

const asMessage = ({ has_key, carried, ...message }: MessageRow): ChatMessage => ({
  ...message,
  ...questionAndMovesOfAnswer(message.role === "assistant" ? findLastQuestion(message.content) : null, {
    has_key,
    carried,
  }),
  created_at: toInstant(message.created_at),
});

/** An answer's question, its own or carried over by a move, with the moves that it offers. */
export function questionAndMovesOfAnswer(
  said: Question | null | undefined,
  { has_key, carried }: Pick<StoredAnswer, "has_key" | "carried">,
): Pick<ChatMessage, "question" | "moves"> {
  const question = said ?? carried;
  return { question, moves: question && has_key ? availableMoves(question) : [] };
}

export const storedAnswerToMessage = ({ chunks, sources = [], ...stored }: StoredAnswer): ChatMessage =>
  asMessage({
    ...stored,
    role: "assistant",
    content: chunks.join(""),
    feedback: null,
    sources,
  });
