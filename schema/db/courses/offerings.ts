import { sql } from "drizzle-orm";
import { check, foreignKey, index, integer, pgTable, unique, varchar } from "drizzle-orm/pg-core";
import {
  type CompletionRule,
  completionRules,
  type EnrollmentMode,
  enrollmentModes,
  type Visibility,
  visibilities,
} from "../../enums.ts";
import { users } from "../identity/users.ts";
import { id, instant, now, oneOf, reference, timestamps, upperEnum } from "../platform/columns.ts";
import { courses } from "./courses.ts";
import { terms } from "./terms.ts";

/** A run of a course, in its university; `capacity` null for no limit. */
export const courseOfferings = pgTable(
  "course_offerings",
  {
    id: id(),
    course_id: integer().notNull(),
    university_id: integer().notNull(),
    term_id: integer(),
    /** The term's name unless set explicitly. Maintained by the database. */
    term_name: varchar({ length: 255 }),
    starts_at: instant(),
    ends_at: instant(),
    enrollment_start: instant(),
    enrollment_end: instant(),
    visibility: upperEnum<Visibility>().notNull().default(sql`'private'`),
    capacity: integer(),
    enrollment_mode: upperEnum<EnrollmentMode>().notNull().default(sql`'open'`),
    /** The enrollment key for mode `key`; only staff can read it. */
    enrollment_key: varchar({ length: 128 }),
    completion_rule: upperEnum<CompletionRule>().notNull().default(sql`'all_items'`),
    ...timestamps(),
  },
  (table) => [
    foreignKey({
      name: "course_offerings_course_id_courses_id_fk",
      columns: [table.course_id, table.university_id],
      foreignColumns: [courses.id, courses.university_id],
    }).onDelete("cascade"),
    foreignKey({
      name: "course_offerings_term_id_terms_id_fk",
      columns: [table.term_id, table.university_id],
      foreignColumns: [terms.id, terms.university_id],
    }).onDelete("restrict"),
    // The target of foreign keys that must stay within one university.
    unique().on(table.id, table.university_id),
    index().on(table.course_id, table.id),
    index().on(table.university_id, table.id),
    index().on(table.term_id, table.id),
    index().on(table.starts_at, table.id),
    index().on(table.university_id, table.starts_at, table.id),
    index("course_offerings_private_index").on(table.id).where(sql`${table.visibility} = 'private'`),
    // Offerings closed for enrollment: either few or nearly all.
    index().on(table.enrollment_start),
    index().on(table.enrollment_end),
    oneOf(table.visibility, visibilities),
    oneOf(table.enrollment_mode, enrollmentModes),
    oneOf(table.completion_rule, completionRules),
    check(
      "course_offerings_enrollment_key_check",
      sql`${table.enrollment_mode} <> 'key' or ${table.enrollment_key} is not null`,
    ),
    check("course_offerings_ends_at_check", sql`${table.ends_at} > ${table.starts_at}`),
    check("course_offerings_enrollment_end_check", sql`${table.enrollment_end} > ${table.enrollment_start}`),
    check("course_offerings_capacity_check", sql`${table.capacity} >= 1`),
  ],
);

export const courseOfferingInstructors = pgTable(
  "course_offering_instructors",
  {
    id: id(),
    course_offering_id: integer().notNull(),
    user_id: reference(() => users.id, "cascade").notNull(),
    created_at: instant().notNull().default(now),
  },
  (table) => [
    unique().on(table.course_offering_id, table.user_id),
    foreignKey({
      name: "course_offering_instructors_course_offering_id_fk",
      columns: [table.course_offering_id],
      foreignColumns: [courseOfferings.id],
    }).onDelete("cascade"),
    index().on(table.user_id),
  ],
);
