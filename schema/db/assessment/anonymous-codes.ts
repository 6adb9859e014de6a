import { index, pgTable, unique, varchar } from "drizzle-orm/pg-core";
import { contentItems } from "../courses/content-items.ts";
import { courseOfferings } from "../courses/offerings.ts";
import { users } from "../identity/users.ts";
import { id, reference } from "../platform/columns.ts";

/**
 * The code that graders see instead of a person in an anonymous item, until its grades are released. Drawn at
 * random with the first work, so codes and their order reveal nothing.
 */
export const anonymousCodes = pgTable(
  "anonymous_codes",
  {
    id: id(),
    course_offering_id: reference(() => courseOfferings.id, "restrict").notNull(),
    content_item_id: reference(() => contentItems.id, "restrict").notNull(),
    user_id: reference(() => users.id, "cascade").notNull(),
    code: varchar({ length: 8 }).notNull(),
  },
  (table) => [
    // Concurrent requests for a person's code get the same one.
    unique("anonymous_codes_person_unique").on(
      table.course_offering_id,
      table.content_item_id,
      table.user_id,
    ),
    unique("anonymous_codes_unique").on(table.course_offering_id, table.content_item_id, table.code),
    index().on(table.user_id),
    index().on(table.content_item_id),
  ],
);
