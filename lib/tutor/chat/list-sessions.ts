import { and, count, eq, max, sql } from "drizzle-orm";
import { JsonObject } from "../../../schema/api/platform/fields.ts";
import type { ChatSessionListQuery, ChatSessionSummary } from "../../../schema/api/tutor/chat.ts";
import { chatMessages, chatSessions } from "../../../schema/db/tutor/chat.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { createPageQuery, descending } from "../../platform/db/query/page.ts";
import { typedSql } from "../../platform/db/query/rows.ts";
import type { ListPage } from "../../platform/results/list-page.ts";
import { ownSessionCondition } from "./ownership.ts";
import { summaryColumns } from "./session-columns.ts";

/** Newest first, without material. */
export async function listSessions(
  db: ReadDb,
  actor: Actor,
  { content_item_id, ...query }: ChatSessionListQuery,
): Promise<ListPage<ChatSessionSummary>> {
  const page = createPageQuery(query, [descending(chatSessions.created_at), descending(chatSessions.id)]);
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
      content_context: typedSql(
        JsonObject,
      )`${chatSessions.content_context} - ${sql.param(["data_json", "description", "file_texts"])}::text[]`,
      message_count: messages.message_count,
      last_message_at: messages.last_message_at,
      page_key: page.key,
    })
    .from(chatSessions)
    .leftJoinLateral(messages, sql`true`)
    .where(
      page.where(
        and(
          ownSessionCondition(actor),
          content_item_id === undefined ? undefined : eq(chatSessions.content_item_id, content_item_id),
        ),
      ),
    )
    .orderBy(page.order)
    .offset(page.skip)
    .limit(page.limit);
  return page.part(rows).map((row) => ({ ...row, message_count: row.message_count ?? 0 }));
}
