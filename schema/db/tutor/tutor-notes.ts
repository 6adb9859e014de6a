import { sql } from "drizzle-orm";
import { index, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { contentItems } from "../courses/content-items.ts";
import { courses } from "../courses/courses.ts";
import { users } from "../identity/users.ts";
import { id, json, reference, rowVersion, timestamps } from "../platform/columns.ts";

/** Teachers' notes for the tutor, of an item, or of a course if none is named. Hidden from learners. */
export const tutorNotes = pgTable(
  "tutor_notes",
  {
    id: id(),
    course_id: reference(() => courses.id, "cascade").notNull(),
    content_item_id: reference(() => contentItems.id, "cascade"),
    notes: text().notNull().default(""),
    key_facts: json<string[]>().notNull().default([]),
    common_errors: json<string[]>().notNull().default([]),
    never_say: json<string[]>().notNull().default([]),
    updated_by: reference(() => users.id, "set null"),
    version: rowVersion(),
    ...timestamps(),
  },
  (table) => [
    uniqueIndex("tutor_notes_key").on(table.course_id, sql`coalesce(content_item_id, 0)`),
    index().on(table.content_item_id),
    index().on(table.updated_by),
  ],
);
