import { sql } from "drizzle-orm";
import { index, integer, pgTable, varchar } from "drizzle-orm/pg-core";
import { bigId, bigReferenceId, instant, now, reference } from "./columns.ts";
import { contentItems } from "./content-items.ts";
import { courseOfferings } from "./offerings.ts";
import { users } from "./users.ts";

/** Something that a person did to learn: who, what, to which object, where and when. Analytics are drawn from it. */
export const activityEvents = pgTable(
  "activity_events",
  {
    id: bigId(),
    user_id: reference(() => users.id, "cascade").notNull(),
    /** That of what it was done to, which may be gone. */
    university_id: integer(),
    verb: varchar({ length: 64 }).notNull(),
    object_type: varchar({ length: 64 }).notNull(),
    object_id: bigReferenceId().notNull(),
    content_item_id: reference(() => contentItems.id, "set null"),
    course_offering_id: reference(() => courseOfferings.id, "set null"),
    occurred_at: instant().notNull().default(now),
    /** The transaction that wrote it, by which the feed of events is put in order. */
    change_number: bigReferenceId().notNull().default(sql`change_number()`),
  },
  (table) => [
    index().on(table.user_id, table.occurred_at, table.id),
    // For whoever deletes an item. What one person did there is found by the person.
    index().on(table.content_item_id),
    index().on(table.university_id, table.occurred_at),
    index("activity_events_feed_index").on(table.university_id, table.change_number, table.id),
    index().on(table.course_offering_id, table.user_id, table.occurred_at),
    // Events come in the order of their moments, so that a few words for each megabyte say where those of a period are.
    index().using("brin", table.occurred_at).with({ autosummarize: true }),
  ],
);
