import { boolean, foreignKey, index, integer, pgTable, text, unique, varchar } from "drizzle-orm/pg-core";
import { id, instant, now, reference, timestamps } from "./columns.ts";
import { contentItems } from "./content-items.ts";
import { modules } from "./modules.ts";
import { courseOfferings } from "./offerings.ts";
import { users } from "./users.ts";

/** A conversation of an offering's people, perhaps about one module or content item. */
export const discussionThreads = pgTable(
  "discussion_threads",
  {
    id: id(),
    course_offering_id: reference(() => courseOfferings.id, "cascade").notNull(),
    module_id: reference(() => modules.id, "set null"),
    content_item_id: reference(() => contentItems.id, "set null"),
    /** Null when the person has erased their account; then the title is gone too. */
    created_by_user_id: reference(() => users.id, "set null"),
    title: varchar({ length: 255 }),
    created_at: instant().notNull().default(now),
    is_locked: boolean().notNull().default(false),
  },
  (table) => [
    index().on(table.course_offering_id, table.created_at, table.id),
    index().on(table.module_id),
    index().on(table.content_item_id),
    index().on(table.created_by_user_id),
  ],
);

/** A post in a thread, perhaps in answer to another of the same thread. A deleted one keeps its place. */
export const discussionPosts = pgTable(
  "discussion_posts",
  {
    id: id(),
    thread_id: reference(() => discussionThreads.id, "cascade").notNull(),
    parent_post_id: integer(),
    /** Null when the person has erased their account; then the post is a deleted one without words. */
    user_id: reference(() => users.id, "set null"),
    body: text().notNull(),
    is_deleted: boolean().notNull().default(false),
    ...timestamps(),
  },
  (table) => [
    // Orders a thread, and is the target of the reference that keeps an answer in its thread.
    unique().on(table.thread_id, table.id),
    foreignKey({
      name: "discussion_posts_parent_post_id_discussion_posts_id_fk",
      columns: [table.parent_post_id, table.thread_id],
      foreignColumns: [table.id, table.thread_id],
    }).onDelete("cascade"),
    index().on(table.parent_post_id),
    index().on(table.user_id),
  ],
);
