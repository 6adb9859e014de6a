import { sql } from "drizzle-orm";
import { index, pgTable, text, varchar } from "drizzle-orm/pg-core";
import { id, jsonObject, reference, searchWords, timestamps } from "./columns.ts";
import { contentItems } from "./content-items.ts";
import { users } from "./users.ts";

/** The place in a content item that a note is about: a block, a moment of a video, the words themselves. */
export type NoteAnchor = {
  block?: number | undefined;
  seconds?: number | undefined;
  quote?: string | undefined;
};

/** A person's own note on a content item; nobody else reads it. */
export const notes = pgTable(
  "notes",
  {
    id: id(),
    user_id: reference(() => users.id, "cascade").notNull(),
    content_item_id: reference(() => contentItems.id, "restrict").notNull(),
    body: text().notNull(),
    anchor: jsonObject<NoteAnchor>(),
    /** The language in which it is searched: its course's, unless its writer says another. */
    language_code: varchar({ length: 8 }).notNull().default("en"),
    /** The database sets it. Whose notes are searched is known first, so it has no index of its own. */
    search: searchWords().notNull().default(sql`''::tsvector`),
    ...timestamps(),
  },
  (table) => [index().on(table.user_id, table.created_at, table.id), index().on(table.content_item_id)],
);
