import { bigint, index, integer, pgTable, unique } from "drizzle-orm/pg-core";
import { type ActivityScope, activityScopes } from "../enums.ts";
import { calendarDate, lowerEnum, oneOf, reference } from "./columns.ts";
import { courses } from "./courses.ts";

/*
 * What reports are drawn from, so that they need not read every event. The database keeps these sums: what is written
 * is listed as uncounted, and `count_new_totals()` counts what is listed. A day is one of UTC. Conversations that leave
 * the tree are counted at once, in several slots, so that they seldom wait for each other; the sum over the slots counts.
 */

const sum = () => bigint({ mode: "number" }).notNull().default(0);

/**
 * How many people were active on a day, by the day on which each was active before that. It makes distinct people
 * a sum: in the days from A to B they are those of each day who were not active between A and that day.
 */
export const activityTotals = pgTable(
  "activity_totals",
  {
    /** `anywhere` counts people, `course` those in it, `topic` each at each topic, `tutor` those who ask about it. */
    scope: lowerEnum<ActivityScope>().notNull(),
    day: calendarDate().notNull(),
    course_id: reference(() => courses.id, "cascade"),
    previous_day: calendarDate(),
    slot: integer().notNull(),
    people: sum(),
    events: sum(),
    /** Between consecutive events of one person, but for pauses of more than 30 minutes. */
    milliseconds: sum(),
  },
  (table) => [
    unique("activity_totals_key")
      .on(table.scope, table.day, table.course_id, table.previous_day, table.slot)
      .nullsNotDistinct(),
    index().on(table.course_id),
    oneOf(table.scope, activityScopes),
  ],
);

/** Conversations with the tutor on the day on which they began, and answers on the day on which they were given. */
export const chatTotals = pgTable(
  "chat_totals",
  {
    day: calendarDate().notNull(),
    course_id: reference(() => courses.id, "cascade").notNull(),
    slot: integer().notNull(),
    sessions: sum(),
    /** From the first message to the last. */
    session_milliseconds: sum(),
    diverged_sessions: sum(),
    /** Answers on shared paths: those that were stored before, and those that were not. */
    hits: sum(),
    misses: sum(),
  },
  (table) => [
    unique("chat_totals_key").on(table.day, table.course_id, table.slot),
    index().on(table.course_id),
  ],
);

/** Events that are not in the totals yet: only their numbers, so that writing one costs next to nothing. */
export const uncountedEvents = pgTable("uncounted_events", {
  event_id: bigint({ mode: "number" }).primaryKey(),
});

/** Messages that are not in the totals yet. */
export const uncountedMessages = pgTable("uncounted_messages", { message_id: integer().primaryKey() });
