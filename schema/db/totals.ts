import { index, integer, numeric, pgTable, primaryKey, unique } from "drizzle-orm/pg-core";
import { type ReportMeasure, reportMeasures } from "../enums.ts";
import { calendarDate, lowerEnum, oneOf, reference } from "./columns.ts";
import { courseOfferings } from "./offerings.ts";
import { users } from "./users.ts";

/**
 * What reports are drawn from, so that they need not read every event: sums that the database keeps itself, with
 * each row that is written, of a course, and with the course null of all. Days are those of UTC. Connections add in
 * several slots, so that they seldom wait for each other; the sum over the slots counts.
 *
 * Of people who were active, `since` is the day on which each was active before `day`. It makes distinct people a
 * sum: in the days from A to B they are those of each day who were not active between A and that day.
 */
export const reportTotals = pgTable(
  "report_totals",
  {
    measure: lowerEnum<ReportMeasure>().notNull(),
    // No reference: to be added to, a total would have to hold on to its course, and wait for whoever deletes it.
    course_id: integer(),
    day: calendarDate(),
    since: calendarDate(),
    slot: integer().notNull(),
    amount: numeric({ mode: "number" }).notNull(),
  },
  (table) => [
    unique("report_totals_key")
      .on(table.measure, table.course_id, table.day, table.since, table.slot)
      .nullsNotDistinct(),
    oneOf(table.measure, reportMeasures),
  ],
);

/** How someone who has begun the published modules of a course stands with them. The database keeps it itself. */
export const courseTrees = pgTable(
  "course_trees",
  {
    course_offering_id: reference(() => courseOfferings.id, "cascade").notNull(),
    user_id: reference(() => users.id, "cascade").notNull(),
    /** Its offering's. */
    course_id: integer().notNull(),
    /** The last day with progress or any activity in the offering. */
    touched_on: calendarDate().notNull(),
    /** While every published module is completed: the day of the last. */
    completed_on: calendarDate(),
  },
  (table) => [
    primaryKey({ columns: [table.course_offering_id, table.user_id] }),
    index().on(table.user_id),
    index().on(table.course_id),
  ],
);
