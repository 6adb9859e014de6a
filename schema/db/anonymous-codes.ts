import { index, pgTable, unique, varchar } from "drizzle-orm/pg-core";
import { id, reference } from "./columns.ts";
import { contentItems } from "./content-items.ts";
import { courseOfferings } from "./offerings.ts";
import { users } from "./users.ts";

/**
 * What stands for a person before whoever grades them in an item that says `anonymous`, until its grades are released. It is
 * drawn at random with their first work, so that neither it nor the order of codes says anything of them.
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
    // Of two who need a person's code at once both find one.
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
