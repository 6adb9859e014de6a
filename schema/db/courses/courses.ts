import { sql } from "drizzle-orm";
import {
  boolean,
  check,
  foreignKey,
  index,
  integer,
  pgTable,
  text,
  unique,
  varchar,
} from "drizzle-orm/pg-core";
import {
  type CourseAccess,
  type CourseLevel,
  courseAccesses,
  courseLevels,
  type PrerequisiteType,
  prerequisiteTypes,
} from "../../enums.ts";
import { departments } from "../identity/departments.ts";
import { universities } from "../identity/universities.ts";
import {
  decimal,
  id,
  instant,
  now,
  oneOf,
  reference,
  rowVersion,
  timestamps,
  upperEnum,
} from "../platform/columns.ts";
import { subjects } from "./subjects.ts";

/** A course of a university or department, taught in offerings. */
export const courses = pgTable(
  "courses",
  {
    id: id(),
    university_id: reference(() => universities.id, "restrict").notNull(),
    department_id: integer(),
    primary_subject_id: reference(() => subjects.id, "restrict"),
    title: varchar({ length: 255 }).notNull(),
    code: varchar({ length: 128 }).notNull(),
    description: text(),
    level: upperEnum<CourseLevel>().notNull().default(sql`'undergraduate'`),
    language_code: varchar({ length: 8 }).notNull().default("en"),
    credit_hours: decimal(4, 2),
    is_published: boolean().notNull().default(false),
    access: upperEnum<CourseAccess>().notNull().default(sql`'open'`),
    /** Whether its sessions share answers. */
    cache_enabled: boolean().notNull().default(true),
    /** Overrides the configured model of its sessions. */
    llm_model: varchar({ length: 128 }),
    /** Appended to the tutor's prompts; hidden from learners. */
    tutor_line: text(),
    search_text: text().generatedAlwaysAs(sql`searched(title || ' ' || code)`),
    /** Also covers the order of its outline. */
    version: rowVersion(),
    ...timestamps(),
  },
  (table) => [
    unique().on(table.university_id, table.code),
    // Orders a university's list, and is the target of foreign keys that must stay within one university.
    unique().on(table.university_id, table.id),
    foreignKey({
      name: "courses_department_id_departments_id_fk",
      columns: [table.department_id, table.university_id],
      foreignColumns: [departments.id, departments.university_id],
    }).onDelete("restrict"),
    index().on(table.department_id, table.id),
    index("courses_search_index").using("gin", sql`${table.search_text} gin_trgm_ops`),
    index().on(table.search_text, table.id),
    index("courses_unpublished_index").on(table.id).where(sql`not ${table.is_published}`),
    index().on(table.university_id, table.search_text, table.id),
    index().on(table.code, table.id),
    index().on(table.primary_subject_id, table.id),
    index().on(table.level, table.id),
    // `en` for `en-GB`.
    index("courses_language_index").on(sql`split_part(lower(${table.language_code}), '-', 1)`, table.id),
    index().on(table.credit_hours, table.id),
    oneOf(table.level, courseLevels),
    oneOf(table.access, courseAccesses),
  ],
);

export const courseSubjects = pgTable(
  "course_subjects",
  {
    id: id(),
    course_id: reference(() => courses.id, "cascade").notNull(),
    subject_id: reference(() => subjects.id, "restrict").notNull(),
    is_primary: boolean().notNull().default(false),
  },
  (table) => [unique().on(table.course_id, table.subject_id), index().on(table.subject_id, table.course_id)],
);

/** A course to take before or together with another. Only strict prerequisites block enrollment. */
export const coursePrerequisites = pgTable(
  "course_prerequisites",
  {
    id: id(),
    course_id: reference(() => courses.id, "cascade").notNull(),
    prerequisite_course_id: reference(() => courses.id, "cascade").notNull(),
    prerequisite_type: upperEnum<PrerequisiteType>().notNull().default(sql`'strict'`),
    created_at: instant().notNull().default(now),
  },
  (table) => [
    unique().on(table.course_id, table.prerequisite_course_id),
    index().on(table.prerequisite_course_id),
    oneOf(table.prerequisite_type, prerequisiteTypes),
    check("course_prerequisites_not_itself", sql`${table.course_id} <> ${table.prerequisite_course_id}`),
  ],
);
