import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { chatSessions } from "../../../schema/db/tutor/chat.ts";
import type { RolloutArm } from "../../../schema/enums.ts";
import { badRequest, forbidden, notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { typedSql } from "../../platform/db/query/rows.ts";
import { constraintViolationIn } from "../../platform/db/query/violations.ts";
import { ownSessionCondition } from "./ownership.ts";

const Beside = z.object({ is_own: z.boolean(), is_aside: z.boolean(), content_item_id: z.int() });

export type ParentSession = z.output<typeof Beside>;

/** Null if there is none. */
export const parentSessionJsonSql = (
  actor: Actor,
  sessionId: number | undefined,
): SQL<ParentSession | null> =>
  sessionId === undefined
    ? typedSql(Beside.nullable())`null::json`
    : typedSql(Beside.nullable())`(
        select json_build_object('is_own', (${ownSessionCondition(actor)}), 'content_item_id', ${chatSessions.content_item_id},
                                 'is_aside', ${chatSessions.aside_of_id} is not null)
        from ${chatSessions} where ${chatSessions.id} = ${sessionId})`;

/**
 * 404 without such a session, 403 for another person's, 400 unless an aside about the item can begin there.
 */
export function ensureAsideCanBegin(beside: ParentSession | null, contentItemId: number): void {
  if (!beside) throw notFound("Chat session");
  if (!beside.is_own) throw forbidden("not_your_session");
  if (beside.is_aside) throw badRequest("aside_of_aside");
  if (beside.content_item_id !== contentItemId) throw badRequest("aside_about_another_item");
}

/** A new aside closes the open one and gets its session's context. */
export const asideValuesClosingOpenAside = (sessionId: number) => ({
  aside_of_id: sessionId,
  path_end_id: sql<number | null>`close_open_aside_returning_path_end(${sessionId}::bigint)`,
  prompt_id: sql<number | null>`(select prompt_id from chat_sessions where id = ${sessionId}::bigint)`,
  rollout_id: sql<number | null>`(select rollout_id from chat_sessions where id = ${sessionId}::bigint)`,
  rollout_arm: sql<RolloutArm | null>`(select rollout_arm from chat_sessions where id = ${sessionId}::bigint)`,
});

/** 404 if the session is deleted while its aside is created. */
export async function notFoundIfParentDeleted<T>(statement: PromiseLike<T>): Promise<T> {
  try {
    return await statement;
  } catch (error) {
    throw constraintViolationIn(error)?.constraint?.includes("aside_of_id")
      ? notFound("Chat session")
      : error;
  }
}
