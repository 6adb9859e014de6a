import {
  bigint,
  customType,
  index,
  integer,
  numeric,
  pgTable,
  primaryKey,
  unique,
} from "drizzle-orm/pg-core";
import { type ReportMeasure, reportMeasures } from "../enums.ts";
import { calendarDate, lowerEnum, oneOf } from "./columns.ts";

/*
 * What reports are drawn from, so that they need not read every event. Whoever writes what is counted only notes it in
 * a table of its own, to which rows are added and nothing else: so no writer waits for another. The schedule counts what
 * is noted (`count_new_totals`), and a report adds what is not counted yet (`uncounted_totals`). Days are those of UTC.
 * Nothing here refers to what it counts, which may be gone by then.
 */

/** A sum of a course, and with the course null of all courses together. */
const sum = () => ({
  measure: lowerEnum<ReportMeasure>().notNull(),
  course_id: integer(),
  /** Null where a measure stands for what is there now. */
  day: calendarDate(),
  /**
   * Of people who were active, the day on which each was active before `day`. It makes distinct people a sum: in the
   * days from A to B they are those of each day who were not active between A and that day. Of topics that were
   * completed, the day on which they were begun.
   */
  since: calendarDate(),
  amount: numeric({ mode: "number" }).notNull(),
});

export const reportTotals = pgTable("report_totals", sum(), (table) => [
  // Its index includes the amount (constraints.sql), so that a report reads nothing but the index.
  unique("report_totals_key").on(table.course_id, table.measure, table.day, table.since).nullsNotDistinct(),
  oneOf(table.measure, reportMeasures),
]);

/** What is to be added to the totals; with a course also to that of all courses. */
export const uncountedChanges = pgTable("uncounted_changes", sum());

/**
 * What people did and is not in the totals yet: the number of an event, an offering whose tree is to be looked at anew,
 * or both. It is no more than that, so that writing one costs next to nothing.
 */
export const uncountedActivity = pgTable(
  "uncounted_activity",
  {
    user_id: integer().notNull(),
    event_id: bigint({ mode: "number" }),
    course_offering_id: integer(),
  },
  (table) => [index().on(table.user_id, table.event_id)],
);

/** Courses with other modules or items now, so that all trees are to be looked at anew, or that are gone. */
export const uncountedCourses = pgTable("uncounted_courses", { course_id: integer().notNull() });

/** Days, from each first up to and without the last: `{[2026-03-01,2026-03-09),[2026-04-01,)}`. */
const days = customType<{ data: string }>({ dataType: () => "datemultirange" });

/** How someone who has begun the published modules of a course stands with them, in one offering, when last counted. */
export const courseTrees = pgTable(
  "course_trees",
  {
    course_offering_id: integer().notNull(),
    user_id: integer().notNull(),
    course_id: integer().notNull(),
    /** While every published module is completed: the day of the last. */
    completed_on: calendarDate(),
    /** The days at whose end it was not complete, and had not been touched for 14 days. */
    interrupted: days().notNull(),
  },
  (table) => [primaryKey({ columns: [table.course_offering_id, table.user_id] })],
);
