import { index, pgTable, text } from "drizzle-orm/pg-core";
import { id, reference, timestamps } from "./columns.ts";
import { contentItems } from "./content-items.ts";
import { users } from "./users.ts";

/** A person's own note on a content item; nobody else reads it. */
export const notes = pgTable(
  "notes",
  {
    id: id(),
    user_id: reference(() => users.id, "cascade").notNull(),
    content_item_id: reference(() => contentItems.id, "cascade").notNull(),
    body: text().notNull(),
    ...timestamps(),
  },
  (table) => [index().on(table.user_id, table.created_at, table.id), index().on(table.content_item_id)],
);
