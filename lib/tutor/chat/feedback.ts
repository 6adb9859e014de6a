import { and, type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { AnswerFeedback, Feedback } from "../../../schema/api/tutor/chat.ts";
import { toInstant } from "../../../schema/db/platform/columns.ts";
import { feedbackRatings } from "../../../schema/enums.ts";
import { badRequest, forbidden, type HttpError, notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { itemInTokenReachCondition } from "../../identity/auth/token-reach.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf, StoredInstant } from "../../platform/db/query/rows.ts";

const Row = z.object({
  message_id: z.int(),
  rating: z.enum(feedbackRatings),
  comment: z.string().nullable(),
  updated_at: StoredInstant,
});

/**
 * Sets or changes the owner's rating of an answer; an absent comment stays. 404 for no such message, 403 for
 * another person's session, 400 unless it is an answer.
 */
export async function rateAnswer(
  db: Db,
  actor: Actor,
  messageId: number,
  { rating, comment }: AnswerFeedback,
): Promise<Feedback> {
  const present = comment === undefined ? sql`message_feedback.comment` : sql`excluded.comment`;
  const [row] = await rowsOf(
    db,
    Row,
    sql`
      insert into message_feedback (message_id, node_id, rating, comment)
      select m.id, (select n.id from cache_nodes as n where n.id = m.cache_node_id for key share), ${rating}, ${comment ?? null}
      from chat_messages as m join chat_sessions as s on s.id = m.session_id
      where m.id = ${messageId} and ${isOwn(actor)} and m.role = 'assistant'
      on conflict (message_id) do update
        set rating = excluded.rating, comment = ${present}, updated_at = service_now()
      returning message_id, rating, comment, updated_at`,
  );
  if (!row) throw await refusal(db, actor, messageId);
  return { ...row, updated_at: toInstant(row.updated_at) };
}

/** Idempotent; errors as `rateAnswer`. */
export async function withdrawFeedback(db: Db, actor: Actor, messageId: number): Promise<void> {
  const withdrawn = await db.execute(sql`
    delete from message_feedback where message_id = (
      select m.id from chat_messages as m join chat_sessions as s on s.id = m.session_id
      where m.id = ${messageId} and ${isOwn(actor)})`);
  if (withdrawn.rowCount !== 0) return;
  const refused = await refusal(db, actor, messageId);
  if (refused) throw refused;
}

const isOwn = (actor: Actor): SQL | undefined =>
  and(sql`s.user_id = ${actor.id}`, itemInTokenReachCondition(actor, sql`s.content_item_id`));

const Found = z.object({ is_own: z.boolean(), is_answer: z.boolean() });

/** Undefined for the caller's own answer. */
async function refusal(db: Db, actor: Actor, messageId: number): Promise<HttpError | undefined> {
  const [found] = await rowsOf(
    db,
    Found,
    sql`select (${isOwn(actor)}) as is_own, m.role = 'assistant' as is_answer
        from chat_messages as m join chat_sessions as s on s.id = m.session_id where m.id = ${messageId}`,
  );
  if (!found) return notFound("Message");
  if (!found.is_own) return forbidden("not_your_session");
  return found.is_answer ? undefined : badRequest("only_answers_rated");
}
