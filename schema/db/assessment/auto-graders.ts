import { index, integer, pgTable, unique, varchar } from "drizzle-orm/pg-core";
import { contentItems } from "../courses/content-items.ts";
import { courseOfferings } from "../courses/offerings.ts";
import { users } from "../identity/users.ts";
import { id, instant, reference } from "../platform/columns.ts";

/**
 * The automatic grader of a lab or assignment in an offering; exists once its secret was renewed, before that
 * the version is 1.
 */
export const autoGraders = pgTable(
  "auto_graders",
  {
    id: id(),
    course_offering_id: reference(() => courseOfferings.id, "cascade").notNull(),
    content_item_id: reference(() => contentItems.id, "cascade").notNull(),
    secret_version: integer().notNull(),
    renewed_at: instant().notNull(),
  },
  (table) => [
    unique("auto_graders_item_unique").on(table.course_offering_id, table.content_item_id),
    index().on(table.content_item_id),
  ],
);

/** A person who read a grader's secret, with version and request, as a read may be retried. */
export const autoGraderReaders = pgTable(
  "auto_grader_readers",
  {
    id: id(),
    course_offering_id: reference(() => courseOfferings.id, "cascade").notNull(),
    content_item_id: reference(() => contentItems.id, "cascade").notNull(),
    user_id: reference(() => users.id, "cascade").notNull(),
    secret_version: integer().notNull(),
    read_at: instant().notNull(),
    request_id: varchar({ length: 128 }),
  },
  (table) => [
    unique("auto_grader_readers_person_unique").on(
      table.course_offering_id,
      table.content_item_id,
      table.user_id,
    ),
    index().on(table.content_item_id),
    index().on(table.user_id),
  ],
);
