import { and, eq, type SQL } from "drizzle-orm";
import { chatSessions } from "../../schema/db/chat.ts";
import type { Actor } from "../auth/actor.ts";
import type { Db } from "../db/client.ts";
import { forbidden, notFound } from "../errors.ts";

/** The condition under which a write reaches a session: it is the caller's own. */
export const ownSession = (actor: Actor, sessionId: number): SQL | undefined =>
  and(eq(chatSessions.id, sessionId), eq(chatSessions.user_id, actor.id));

/** Throws why nothing of a session was reached: 404 when there is none, 403 when it is another's. */
export async function refuseSession(db: Db, person: { id: number }, sessionId: number): Promise<void> {
  const [found] = await db
    .select({ user_id: chatSessions.user_id })
    .from(chatSessions)
    .where(eq(chatSessions.id, sessionId));
  if (!found) throw notFound("Chat session");
  if (found.user_id !== person.id) throw forbidden("Not your chat session");
}
