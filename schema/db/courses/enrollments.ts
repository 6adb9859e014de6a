import { sql } from "drizzle-orm";
import { boolean, check, foreignKey, index, integer, pgTable, primaryKey, unique } from "drizzle-orm/pg-core";
import {
  type CompletionSource,
  completionSources,
  type EnrollmentStatus,
  enrollmentStatuses,
} from "../../enums.ts";
import { users } from "../identity/users.ts";
import { decimal, id, instant, now, oneOf, reference, upperEnum } from "../platform/columns.ts";
import { courseOfferings } from "./offerings.ts";

/** A person's seat in an offering, or entry on its waiting list. */
export const enrollments = pgTable(
  "enrollments",
  {
    id: id(),
    user_id: reference(() => users.id, "cascade").notNull(),
    course_offering_id: integer().notNull(),
    /** The offering's university. Set by the database. */
    university_id: integer().notNull().default(sql`null`),
    status: upperEnum<EnrollmentStatus>().notNull().default(sql`'active'`),
    enrolled_at: instant().notNull().default(now),
    completed_at: instant(),
    /** The source of the completion; null unless completed. Defaults to staff in the database. */
    completion_source: upperEnum<CompletionSource>(),
    /**
     * Whether the person got a seat and did not give it up: while active, or completed from there. A
     * completion that a dropped or waiting person sets gives no access. Set by the database.
     */
    is_admitted: boolean().notNull().default(false),
    /** The last drop, even if re-enrolled since. Set by the database. */
    dropped_at: instant(),
    /** When status, admission or offering last changed. Set by the database. */
    changed_at: instant().notNull().default(now),
    /** Whether staff dropped it, rather than its owner or an LMS: launches and rosters then do not restore it. */
    is_dropped_by_staff: boolean().notNull().default(false),
    /** Set by the database, for readers of changes. */
    updated_at: instant().notNull().default(now),
  },
  (table) => [
    unique().on(table.user_id, table.course_offering_id),
    foreignKey({
      name: "enrollments_course_offering_id_course_offerings_id_fk",
      columns: [table.course_offering_id, table.university_id],
      foreignColumns: [courseOfferings.id, courseOfferings.university_id],
    }).onDelete("restrict"),
    // A university's people in order.
    index().on(table.university_id, table.user_id),
    index().on(table.user_id, table.enrolled_at, table.id),
    // Roster, waiting list in order of promotion, and statistics over all of an offering.
    index("enrollments_roster_index").on(
      table.course_offering_id,
      table.status,
      table.enrolled_at,
      table.id,
      table.user_id,
      table.completion_source,
    ),
    index().on(table.dropped_at),
    oneOf(table.status, enrollmentStatuses),
    oneOf(table.completion_source, completionSources),
    check(
      "enrollments_completion_check",
      sql`(${table.status} = 'completed') = (${table.completion_source} is not null)`,
    ),
  ],
);

/**
 * Progress of an enrollment. Separate, because posting progress must not lock the offering, whose lock orders
 * seat changes. Maintained by the database.
 */
export const enrollmentProgress = pgTable(
  "enrollment_progress",
  {
    user_id: integer().notNull(),
    course_offering_id: integer().notNull(),
    /** The mean of all items that count. */
    progress_percent: decimal(5, 2).notNull(),
    completed_items: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.user_id, table.course_offering_id] }),
    // Reads a whole class. Excludes the progress columns: an index with them would be written on each change.
    index().on(table.course_offering_id, table.user_id),
    foreignKey({
      name: "enrollment_progress_enrollments_fk",
      columns: [table.user_id, table.course_offering_id],
      foreignColumns: [enrollments.user_id, enrollments.course_offering_id],
    })
      .onDelete("cascade")
      .onUpdate("cascade"),
  ],
);
