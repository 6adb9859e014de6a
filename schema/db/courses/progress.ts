import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, unique } from "drizzle-orm/pg-core";
import { users } from "../identity/users.ts";
import { bigId, decimal, instant, now, reference } from "../platform/columns.ts";
import { contentItems } from "./content-items.ts";
import { modules } from "./modules.ts";
import { courseOfferings } from "./offerings.ts";

export const userModuleProgress = pgTable(
  "user_module_progress",
  {
    id: bigId(),
    user_id: reference(() => users.id, "cascade").notNull(),
    course_offering_id: reference(() => courseOfferings.id, "restrict").notNull(),
    module_id: reference(() => modules.id, "restrict").notNull(),
    started_at: instant().notNull().default(now),
    completed_at: instant(),
    progress_percent: decimal(5, 2).notNull().default(0),
  },
  (table) => [
    unique("user_module_progress_unique").on(table.user_id, table.course_offering_id, table.module_id),
    // Covers all queries on a whole course's progress.
    index("user_module_progress_tree_index").on(
      table.course_offering_id,
      table.user_id,
      table.module_id,
      table.started_at,
      table.completed_at,
    ),
    index().on(table.module_id),
    check("user_module_progress_percent_check", sql`${table.progress_percent} between 0 and 100`),
  ],
);

export const userContentProgress = pgTable(
  "user_content_progress",
  {
    id: bigId(),
    user_id: reference(() => users.id, "cascade").notNull(),
    course_offering_id: reference(() => courseOfferings.id, "restrict").notNull(),
    content_item_id: reference(() => contentItems.id, "restrict").notNull(),
    first_started_at: instant().notNull().default(now),
    last_interacted_at: instant().notNull().default(now),
    completed_at: instant(),
    progress_percent: decimal(5, 2).notNull().default(0),
    attempts_count: integer().notNull().default(0),
  },
  (table) => [
    unique("user_content_progress_unique").on(table.user_id, table.course_offering_id, table.content_item_id),
    index().on(table.course_offering_id),
    // People who completed an item, or began it.
    index("user_content_progress_item_index").on(
      table.content_item_id,
      table.completed_at,
      table.course_offering_id,
      table.user_id,
    ),
    index("user_content_progress_started_index").on(
      table.first_started_at,
      table.course_offering_id,
      table.completed_at,
    ),
    index("user_content_progress_completed_index").on(table.completed_at, table.course_offering_id),
    check("user_content_progress_percent_check", sql`${table.progress_percent} between 0 and 100`),
  ],
);
