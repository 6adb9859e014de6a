import { sql } from "drizzle-orm";
import { type AnyPgColumn, boolean, index, pgTable, text, uuid, varchar } from "drizzle-orm/pg-core";
import { type CacheState, cacheStates, type MessageRole, messageRoles } from "../enums.ts";
import { cacheNodes } from "./cache.ts";
import {
  id,
  instant,
  jsonObject,
  lowerEnum,
  now,
  oneOf,
  reference,
  timestamps,
  upperEnum,
} from "./columns.ts";
import { contentItems } from "./content-items.ts";
import { users } from "./users.ts";

/** A person's conversation with the tutor about one content item. */
export const chatSessions = pgTable(
  "chat_sessions",
  {
    id: id(),
    user_id: reference(() => users.id, "cascade").notNull(),
    content_item_id: reference(() => contentItems.id, "restrict").notNull(),
    /** The content item as it was when the conversation began, and the fingerprint of that snapshot. */
    content_context: jsonObject().notNull(),
    content_fingerprint: varchar({ length: 64 }).notNull(),
    share_enabled: boolean().notNull().default(false),
    share_token: varchar({ length: 64 }).unique(),
    /** The cursor in the tree of shared answers; null stands before the root. */
    cache_node_id: reference(() => cacheNodes.id, "set null"),
    cache_state: upperEnum<CacheState>().notNull().default(sql`'tracking'`),
    /** The lease of the answer that is being written: until when, and whose it is. */
    answering_until: instant(),
    answering_token: uuid(),
    ...timestamps(),
  },
  (table) => [
    index().on(table.user_id, table.created_at, table.id),
    index().on(table.content_item_id),
    index().on(table.cache_node_id),
    oneOf(table.cache_state, cacheStates),
  ],
);

/** What was said. An assistant's message answers one message of the user, which is never answered twice. */
export const chatMessages = pgTable(
  "chat_messages",
  {
    id: id(),
    session_id: reference(() => chatSessions.id, "cascade").notNull(),
    role: lowerEnum<MessageRole>().notNull(),
    content: text().notNull(),
    meta: jsonObject().notNull().default({}),
    in_reply_to_id: reference((): AnyPgColumn => chatMessages.id, "cascade").unique(),
    /** Of an answer: whether it lies on a path that is shared, so that it was a hit or a miss of the tree. */
    on_shared_path: boolean().notNull().default(false),
    created_at: instant().notNull().default(now),
  },
  (table) => [index().on(table.session_id, table.id), oneOf(table.role, messageRoles)],
);
