import { sql } from "drizzle-orm";
import { boolean, index, integer, pgTable, primaryKey, varchar } from "drizzle-orm/pg-core";
import { bigId, decimal, instant, now, reference } from "./columns.ts";
import { contentItems } from "./content-items.ts";
import { ltiLinks } from "./lti-contexts.ts";
import { ltiPeople } from "./lti-people.ts";
import { ltiPlatforms } from "./lti-platforms.ts";
import { courseOfferings } from "./offerings.ts";
import { users } from "./users.ts";

/**
 * Whose grades may have become others, in an offering that is bound to a course of an LMS with a column of grades. Whatever
 * changes a grade adds such a row and waits for nobody; the worker makes of them what is to be sent (`lti_scores`).
 */
export const ltiScoreMarks = pgTable(
  "lti_score_marks",
  {
    id: bigId(),
    course_offering_id: reference(() => courseOfferings.id, "cascade").notNull(),
    /** Null for everyone's. */
    user_id: reference(() => users.id, "cascade"),
    /** Null for any item's. */
    content_item_id: reference(() => contentItems.id, "cascade"),
    /** Whether it is sent again where the LMS has taken the same before. */
    is_forced: boolean().notNull().default(false),
    /** Of everyone's, the last person of an LMS who was looked at. */
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
 * What an LMS has been told of a person's grade in a column of its gradebook, and whether it has to be told again. The
 * score itself is worked out when it is sent: what is newest wins.
 */
export const ltiScores = pgTable(
  "lti_scores",
  {
    link_id: reference(() => ltiLinks.id, "cascade").notNull(),
    person_id: reference(() => ltiPeople.id, "cascade").notNull(),
    /** How often it was marked: what is marked while it is sent is sent again. */
    marks: integer().notNull().default(1),
    /** When it is next to be sent; null while nothing waits. */
    due_at: instant(),
    /** Since when what is newest waits: it is given up after seven days. */
    waits_since: instant().notNull(),
    tries: integer().notNull().default(0),
    /** Until when whoever sends it has it alone. */
    lease_until: instant(),
    /** The `timestamp` of the last score that was sent, taken or not: the next has a later one. */
    told_at: instant(),
    /** When the LMS took the last one, and which; no score where it was told that there is none. */
    sent_at: instant(),
    sent_score: decimal(8, 2),
    sent_maximum: decimal(8, 2),
    is_refused: boolean().notNull().default(false),
    /** Why it was refused, or waits. */
    failure: varchar({ length: 255 }),
  },
  (table) => [
    primaryKey({ columns: [table.link_id, table.person_id] }),
    index().on(table.person_id),
    index("lti_scores_due_index").on(table.due_at).where(sql`due_at is not null`),
  ],
);

/** An LMS whose services just do not answer is left alone for a while, longer each time. */
export const ltiServicePauses = pgTable("lti_service_pauses", {
  platform_id: integer()
    .primaryKey()
    .references(() => ltiPlatforms.id, { onDelete: "cascade" }),
  until: instant().notNull(),
  tries: integer().notNull(),
  failure: varchar({ length: 255 }).notNull(),
});
