import { and, eq, type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { chatSessions } from "../../../schema/db/tutor/chat.ts";
import { forbidden, notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { itemInTokenReachCondition, type TokenLimits } from "../../identity/auth/token-reach.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { typedSql } from "../../platform/db/query/rows.ts";

export const ownSessionWithIdCondition = (actor: Actor, sessionId: number): SQL | undefined =>
  and(eq(chatSessions.id, sessionId), ownSessionCondition(actor));

/** Within the reach of the caller's token. */
export const ownSessionCondition = (caller: TokenLimits & { id: number }): SQL | undefined =>
  and(eq(chatSessions.user_id, caller.id), itemInTokenReachCondition(caller, chatSessions.content_item_id));

/** The caller's id; null if their token does not reach the session. */
export const personIdIfSessionInTokenReachSql = (
  caller: TokenLimits & { id: number },
  sessionId: number,
): SQL =>
  itemInTokenReachCondition(caller, sql`reached.content_item_id`)
    ? sql`(select ${caller.id}::int from chat_sessions as reached
        where reached.id = ${sessionId} and ${itemInTokenReachCondition(caller, sql`reached.content_item_id`)})`
    : sql`${caller.id}`;

/** 404 if there is no session, 403 for another person's. */
export async function ensureOwnSession(
  db: ReadDb,
  caller: TokenLimits & { id: number },
  sessionId: number,
): Promise<void> {
  const [found] = await db
    .select({ is_own: typedSql(z.boolean())`(${ownSessionCondition(caller)})` })
    .from(chatSessions)
    .where(eq(chatSessions.id, sessionId));
  if (!found) throw notFound("Chat session");
  if (!found.is_own) throw forbidden("not_your_session");
}
