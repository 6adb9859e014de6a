import { sql } from "drizzle-orm";
import { boolean, check, foreignKey, index, integer, pgTable, primaryKey, unique } from "drizzle-orm/pg-core";
import {
  type CompletionSource,
  completionSources,
  type EnrollmentStatus,
  enrollmentStatuses,
} from "../enums.ts";
import { decimal, id, instant, now, oneOf, reference, upperEnum } from "./columns.ts";
import { courseOfferings } from "./offerings.ts";
import { users } from "./users.ts";

/** A person's place in an offering, or on its waiting list. */
export const enrollments = pgTable(
  "enrollments",
  {
    id: id(),
    user_id: reference(() => users.id, "cascade").notNull(),
    course_offering_id: integer().notNull(),
    /** Its offering's. The database sets it. */
    university_id: integer().notNull().default(sql`null`),
    status: upperEnum<EnrollmentStatus>().notNull().default(sql`'active'`),
    enrolled_at: instant().notNull().default(now),
    completed_at: instant(),
    /** Who completed it, and null while it is not completed. The database takes the staff for it unless told. */
    completion_source: upperEnum<CompletionSource>(),
    /**
     * Whether the person was given a place and did not give it up: while active, and completed from there. A completion
     * that someone dropped or waiting sets for themselves lets them in nowhere. The database sets it.
     */
    is_admitted: boolean().notNull().default(false),
    /** When it was dropped the last time, also when it was taken up again since. The database sets it. */
    dropped_at: instant(),
    /** Whether staff dropped it, and not its owner or an LMS: no launch or roster takes it up again then. */
    is_dropped_by_staff: boolean().notNull().default(false),
  },
  (table) => [
    unique().on(table.user_id, table.course_offering_id),
    foreignKey({
      name: "enrollments_course_offering_id_course_offerings_id_fk",
      columns: [table.course_offering_id, table.university_id],
      foreignColumns: [courseOfferings.id, courseOfferings.university_id],
    }).onDelete("restrict"),
    // The people of a university, in their order.
    index().on(table.university_id, table.user_id),
    index().on(table.user_id, table.enrolled_at, table.id),
    // The roster, and the waiting list in the order in which places are given; and all that is asked of everyone of an
    // offering for the figures.
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
 * How far an enrollment is, as it is read. Beside the enrollment, since whoever posts progress holds no offering, in whose
 * order places are given and left. The database keeps it.
 */
export const enrollmentProgress = pgTable(
  "enrollment_progress",
  {
    user_id: integer().notNull(),
    course_offering_id: integer().notNull(),
    /** The mean of all items that count. */
    progress_percent: decimal(5, 2).notNull(),
    /** Of the items that count. */
    completed_items: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.user_id, table.course_offering_id] }),
    // A class at once. Without what changes with each progress: an index that holds it is written with each.
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
