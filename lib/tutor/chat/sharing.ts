import { randomBytes } from "node:crypto";
import { and, eq, sql } from "drizzle-orm";
import type { SharedSession } from "../../../schema/api/tutor/chat.ts";
import { users } from "../../../schema/db/identity/users.ts";
import { chatSessions } from "../../../schema/db/tutor/chat.ts";
import { openableItemCondition } from "../../courses/content/item-access.ts";
import { notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { contextForLearners } from "./content-context.ts";
import { messagePage, newestMessagesJsonSql } from "./messages.ts";
import { ensureOwnSession, ownSessionWithIdCondition } from "./ownership.ts";

/** The token has 192 random bits. Idempotent. */
export async function shareSession(db: Db, actor: Actor, sessionId: number): Promise<string> {
  const fresh = randomBytes(24).toString("base64url");
  const [shared] = await db
    .update(chatSessions)
    .set({ share_enabled: true, share_token: sql`coalesce(${chatSessions.share_token}, ${fresh})` })
    .where(ownSessionWithIdCondition(actor, sessionId))
    .returning({ share_token: chatSessions.share_token });
  if (shared?.share_token) return shared.share_token;
  await ensureOwnSession(db, actor, sessionId);
  throw notFound("Chat session");
}

/** The token becomes invalid and is never reused. */
export async function unshareSession(db: Db, actor: Actor, sessionId: number): Promise<void> {
  const ended = await db
    .update(chatSessions)
    .set({ share_enabled: false, share_token: null })
    .where(ownSessionWithIdCondition(actor, sessionId))
    .returning({ id: chatSessions.id });
  if (ended.length === 0) await ensureOwnSession(db, actor, sessionId);
}

/**
 * Without personal data. 404 for an unknown or revoked token, a topic that is no longer public, and a
 * deactivated owner.
 */
export async function getSharedSession(db: ReadDb, token: string, now: Date): Promise<SharedSession> {
  const [session] = await db
    .select({
      content_context: chatSessions.content_context,
      messages: newestMessagesJsonSql(undefined),
      created_at: chatSessions.created_at,
    })
    .from(chatSessions)
    .innerJoin(users, and(eq(users.id, chatSessions.user_id), users.is_active))
    .where(
      and(
        eq(chatSessions.share_token, token),
        chatSessions.share_enabled,
        openableItemCondition(chatSessions.content_item_id, undefined, now),
      ),
    );
  if (!session) throw notFound("Shared session");
  const title = String(session.content_context["title"] ?? "");
  return {
    title,
    ...session,
    content_context: contextForLearners(session.content_context),
    ...messagePage(session.messages),
  };
}
