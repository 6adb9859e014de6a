import {
  boolean,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  unique,
  varchar,
} from "drizzle-orm/pg-core";
import { type GradeChangeKind, gradeChangeKinds, type ReleaseMode, releaseModes } from "../../enums.ts";
import { contentItems } from "../courses/content-items.ts";
import { courseOfferings } from "../courses/offerings.ts";
import { users } from "../identity/users.ts";
import {
  bigId,
  bigReferenceId,
  decimal,
  id,
  instant,
  json,
  jsonObject,
  lowerEnum,
  now,
  oneOf,
  reference,
  timestamps,
  upperEnum,
} from "../platform/columns.ts";

export type Letter = { letter: string; min_percent: number };

/** Items with a common weight; optionally without the lowest. */
export type GradeGroup = { name: string; weight: number; content_item_ids: number[]; drop_lowest?: number };

/** The grading scheme of an offering. With one, passing completes the offering. */
export const gradingSchemes = pgTable(
  "grading_schemes",
  {
    course_offering_id: integer()
      .primaryKey()
      .references(() => courseOfferings.id, { onDelete: "cascade" }),
    /** Highest first. */
    letter_scale: json<Letter[]>().notNull(),
    passing_percent: decimal(5, 2).notNull(),
    /** Without groups every item counts by its points. */
    groups: json<GradeGroup[]>().notNull(),
    release_mode: upperEnum<ReleaseMode>().notNull(),
    /** Number of lowest scores dropped, if there are no groups. */
    drop_lowest: integer().notNull().default(0),
    /** Late penalty by day in percent of the item's points; null for none. */
    late_percent_per_day: decimal(5, 2),
    /** Maximum days late; null for no limit. */
    max_late_days: integer(),
    /** Increases with each change. One sequence for all rows, so a recreated scheme never reuses a version. */
    version: integer().notNull().generatedByDefaultAsIdentity(),
    ...timestamps(),
  },
  (table) => [oneOf(table.release_mode, releaseModes)],
);

export const gradeReleases = pgTable(
  "grade_releases",
  {
    course_offering_id: reference(() => courseOfferings.id, "cascade").notNull(),
    content_item_id: reference(() => contentItems.id, "cascade").notNull(),
    released_at: instant().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.course_offering_id, table.content_item_id] }),
    index().on(table.content_item_id),
  ],
);

/** A person's override in an item: a score, or an exemption. */
export const itemGrades = pgTable(
  "item_grades",
  {
    id: id(),
    user_id: reference(() => users.id, "cascade").notNull(),
    course_offering_id: reference(() => courseOfferings.id, "restrict").notNull(),
    content_item_id: reference(() => contentItems.id, "restrict").notNull(),
    score_override: decimal(6, 2),
    is_excused: boolean().notNull().default(false),
    /** Number of changes. */
    version: integer().notNull().default(0),
    updated_at: instant().notNull().default(now),
  },
  (table) => [
    unique("item_grades_person_unique").on(table.course_offering_id, table.content_item_id, table.user_id),
    index().on(table.user_id),
    index().on(table.content_item_id),
  ],
);

/** A person's grade in an offering; final once `graded_at` is set. */
export const courseGrades = pgTable(
  "course_grades",
  {
    id: id(),
    user_id: reference(() => users.id, "cascade").notNull(),
    course_offering_id: reference(() => courseOfferings.id, "restrict").notNull(),
    /** The percentage that staff set instead of the computed one. */
    score_override: decimal(6, 2),
    /** Number of changes of the override. */
    version: integer().notNull().default(0),
    final_score: decimal(6, 2),
    letter_grade: varchar({ length: 8 }),
    passed: boolean(),
    graded_at: instant(),
    /** When a later grade first affected the final one; null while it is current. */
    outdated_at: instant(),
    /**
     * The offering's university, for its feed of final grades; null before the first final grade, like the
     * number.
     */
    university_id: integer(),
    /**
     * The transaction that last finalized, reopened or outdated it, which orders the feed of final grades. A
     * trigger writes both.
     */
    change_number: bigReferenceId(),
  },
  (table) => [
    unique().on(table.user_id, table.course_offering_id),
    index().on(table.course_offering_id, table.user_id),
    foreignKey({
      name: "course_grades_university_fk",
      columns: [table.course_offering_id, table.university_id],
      foreignColumns: [courseOfferings.id, courseOfferings.university_id],
    }).onDelete("restrict"),
    index("course_grades_feed_index").on(table.university_id, table.change_number, table.id),
  ],
);

/** An append-only log of grade changes: who, whose, when, from, to, and why. */
export const gradeChanges = pgTable(
  "grade_changes",
  {
    id: bigId(),
    course_offering_id: reference(() => courseOfferings.id, "restrict").notNull(),
    user_id: reference(() => users.id, "cascade").notNull(),
    /** Null for the course grade. */
    content_item_id: reference(() => contentItems.id, "restrict"),
    kind: lowerEnum<GradeChangeKind>().notNull(),
    /** Null for automatic graders and erased people. */
    changed_by_user_id: reference(() => users.id, "set null"),
    changed_at: instant().notNull(),
    former_json: jsonObject(),
    current_json: jsonObject(),
    reason: text(),
  },
  (table) => [
    index().on(table.course_offering_id, table.id),
    index().on(table.user_id, table.course_offering_id, table.id),
    index().on(table.content_item_id),
    index().on(table.changed_by_user_id),
    oneOf(table.kind, gradeChangeKinds),
  ],
);
