import { sql } from "drizzle-orm";
import { boolean, index, integer, pgTable, primaryKey, varchar } from "drizzle-orm/pg-core";
import { contentItems } from "../courses/content-items.ts";
import { courseOfferings } from "../courses/offerings.ts";
import { users } from "../identity/users.ts";
import { bigId, decimal, instant, now, reference } from "../platform/columns.ts";
import { ltiLinks } from "./lti-contexts.ts";
import { ltiPeople } from "./lti-people.ts";
import { ltiPlatforms } from "./lti-platforms.ts";

/**
 * An outbox of grade changes for LMSs. Each change inserts a row without locks; the worker converts rows to
 * scores to send (`lti_scores`).
 */
export const ltiScoreMarks = pgTable(
  "lti_score_marks",
  {
    id: bigId(),
    course_offering_id: reference(() => courseOfferings.id, "cascade").notNull(),
    /** Null for everyone. */
    user_id: reference(() => users.id, "cascade"),
    /** Null for all items. */
    content_item_id: reference(() => contentItems.id, "cascade"),
    /** Whether to send again what the LMS already accepted. */
    is_forced: boolean().notNull().default(false),
    /** For everyone: the last person processed. */
    after_person_id: integer().notNull().default(0),
    created_at: instant().notNull().default(now),
  },
  (table) => [
    index().on(table.course_offering_id),
    index().on(table.user_id),
    index().on(table.content_item_id),
  ],
);

/**
 * A person's score in an LMS line item, as sent, and whether it must be sent again. The score is computed
 * when sent, so the latest wins.
 */
export const ltiScores = pgTable(
  "lti_scores",
  {
    link_id: reference(() => ltiLinks.id, "cascade").notNull(),
    person_id: reference(() => ltiPeople.id, "cascade").notNull(),
    /** Number of marks: a mark during sending causes another send. */
    marks: integer().notNull().default(1),
    /** When it is sent next; null if nothing is pending. */
    due_at: instant(),
    /** Since when the newest score is pending; dropped after seven days. */
    waits_since: instant().notNull(),
    tries: integer().notNull().default(0),
    /** The sender's lease. */
    lease_until: instant(),
    /** `timestamp` of the last score sent, accepted or not; the next one is later. */
    told_at: instant(),
    /** The last score that the LMS accepted, and when; null if it was cleared. */
    sent_at: instant(),
    sent_score: decimal(8, 2),
    sent_maximum: decimal(8, 2),
    is_refused: boolean().notNull().default(false),
    /** Why it was rejected or is delayed. */
    failure: varchar({ length: 255 }),
  },
  (table) => [
    primaryKey({ columns: [table.link_id, table.person_id] }),
    index().on(table.person_id),
    index("lti_scores_due_index").on(table.due_at).where(sql`due_at is not null`),
  ],
);

/** An LMS whose services are unavailable, paused with increasing delays. */
export const ltiServicePauses = pgTable("lti_service_pauses", {
  platform_id: integer()
    .primaryKey()
    .references(() => ltiPlatforms.id, { onDelete: "cascade" }),
  until: instant().notNull(),
  tries: integer().notNull(),
  failure: varchar({ length: 255 }).notNull(),
});
