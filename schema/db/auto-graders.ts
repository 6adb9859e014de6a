import { index, integer, pgTable, unique, varchar } from "drizzle-orm/pg-core";
import { id, instant, reference } from "./columns.ts";
import { contentItems } from "./content-items.ts";
import { courseOfferings } from "./offerings.ts";
import { users } from "./users.ts";

/** The grader of a lab or an assignment in an offering, once its secret was renewed; before, the version is 1. */
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

/** A person who read the secret of a grader, in which version, and in which request, since a read may be done twice. */
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
