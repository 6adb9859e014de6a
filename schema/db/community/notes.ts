import { sql } from "drizzle-orm";
import { index, pgTable, text, varchar } from "drizzle-orm/pg-core";
import { contentItems } from "../courses/content-items.ts";
import { users } from "../identity/users.ts";
import { id, jsonObject, reference, searchWords, timestamps } from "../platform/columns.ts";

/** A note's anchor in a content item: a block, a video's time, or a quotation. */
export type NoteAnchor = {
  block?: number | undefined;
  seconds?: number | undefined;
  quote?: string | undefined;
};

/** A person's private note on a content item. */
export const notes = pgTable(
  "notes",
  {
    id: id(),
    user_id: reference(() => users.id, "cascade").notNull(),
    content_item_id: reference(() => contentItems.id, "restrict").notNull(),
    body: text().notNull(),
    anchor: jsonObject<NoteAnchor>(),
    /** The search language: the course's by default. */
    language_code: varchar({ length: 8 }).notNull().default("en"),
    /** Set by the database. Not indexed: searches are limited to one person's notes. */
    search: searchWords().notNull().default(sql`''::tsvector`),
    ...timestamps(),
  },
  (table) => [index().on(table.user_id, table.created_at, table.id), index().on(table.content_item_id)],
);
