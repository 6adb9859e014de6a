import { sql } from "drizzle-orm";
import { index, integer, pgTable, varchar } from "drizzle-orm/pg-core";
import { users } from "../identity/users.ts";
import { bigId, bigReferenceId, instant, now, reference } from "../platform/columns.ts";
import { contentItems } from "./content-items.ts";
import { courseOfferings } from "./offerings.ts";

/** A learning activity: person, verb, object, place and time. Source of analytics. */
export const activityEvents = pgTable(
  "activity_events",
  {
    id: bigId(),
    user_id: reference(() => users.id, "cascade").notNull(),
    /** The university of the object, which may be deleted. */
    university_id: integer(),
    verb: varchar({ length: 64 }).notNull(),
    object_type: varchar({ length: 64 }).notNull(),
    object_id: bigReferenceId().notNull(),
    content_item_id: reference(() => contentItems.id, "set null"),
    course_offering_id: reference(() => courseOfferings.id, "set null"),
    occurred_at: instant().notNull().default(now),
    /** The transaction that wrote it, which orders the feed of events. */
    change_number: bigReferenceId().notNull().default(sql`current_transaction_number()`),
  },
  (table) => [
    index().on(table.user_id, table.occurred_at, table.id),
    // For deletions of items; a person's events are found by person.
    index().on(table.content_item_id),
    index().on(table.university_id, table.occurred_at),
    index("activity_events_feed_index").on(table.university_id, table.change_number, table.id),
    index().on(table.course_offering_id, table.user_id, table.occurred_at),
    // Rows are roughly in order of time, so a BRIN index suffices for periods.
    index().using("brin", table.occurred_at).with({ autosummarize: true }),
  ],
);
