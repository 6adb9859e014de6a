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
import { type GradeChangeKind, gradeChangeKinds, type ReleaseMode, releaseModes } from "../enums.ts";
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
} from "./columns.ts";
import { contentItems } from "./content-items.ts";
import { courseOfferings } from "./offerings.ts";
import { users } from "./users.ts";

/** A letter, and the least percentage that it takes. */
export type Letter = { letter: string; min_percent: number };

/** Items that count together for that weight, but for so many of the lowest; without a number all of them. */
export type GradeGroup = { name: string; weight: number; content_item_ids: number[]; drop_lowest?: number };

/** How an offering is graded. One that has such a row is completed by whoever has passed. */
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
    /** How many of the lowest do not count, where there are no groups. */
    drop_lowest: integer().notNull().default(0),
    /** What each day after it is due takes off work, of the item's points; null for nothing. */
    late_percent_per_day: decimal(5, 2),
    /** For how many days work is taken after it is due; null for any number. */
    max_late_days: integer(),
    /** Greater with each change. It is counted for all of them together: one that is set anew has no former version. */
    version: integer().notNull().generatedByDefaultAsIdentity(),
    ...timestamps(),
  },
  (table) => [oneOf(table.release_mode, releaseModes)],
);

/** Items whose grades the learners of an offering see. */
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

/** What counts for a person in an item in place of what they achieved: a score, or nothing, since they are excused. */
export const itemGrades = pgTable(
  "item_grades",
  {
    id: id(),
    user_id: reference(() => users.id, "cascade").notNull(),
    course_offering_id: reference(() => courseOfferings.id, "restrict").notNull(),
    content_item_id: reference(() => contentItems.id, "restrict").notNull(),
    score_override: decimal(6, 2),
    is_excused: boolean().notNull().default(false),
    /** How often it was set. */
    version: integer().notNull().default(0),
    updated_at: instant().notNull().default(now),
  },
  (table) => [
    unique("item_grades_person_unique").on(table.course_offering_id, table.content_item_id, table.user_id),
    index().on(table.user_id),
    index().on(table.content_item_id),
  ],
);

/** A person's grade in an offering: final once it has a `graded_at`. */
export const courseGrades = pgTable(
  "course_grades",
  {
    id: id(),
    user_id: reference(() => users.id, "cascade").notNull(),
    course_offering_id: reference(() => courseOfferings.id, "restrict").notNull(),
    /** The percentage that staff set in place of what follows from the items. */
    score_override: decimal(6, 2),
    /** How often that was set. */
    version: integer().notNull().default(0),
    final_score: decimal(6, 2),
    letter_grade: varchar({ length: 8 }),
    passed: boolean(),
    graded_at: instant(),
    /** When something was graded after it that would change it; null while the final grade holds. */
    outdated_at: instant(),
    /** That of the offering, by which a university reads its final grades; null before the first, as the number is. */
    university_id: integer(),
    /**
     * The transaction that last made it final, opened it again or made it outdated, by which the feed of final grades is put
     * in order. Written by a trigger, with the university.
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

/** Each change of a grade: who changed whose, when, from what to what, and why. Rows are only ever added. */
export const gradeChanges = pgTable(
  "grade_changes",
  {
    id: bigId(),
    course_offering_id: reference(() => courseOfferings.id, "restrict").notNull(),
    user_id: reference(() => users.id, "cascade").notNull(),
    /** Null for the grade of the whole course. */
    content_item_id: reference(() => contentItems.id, "restrict"),
    kind: lowerEnum<GradeChangeKind>().notNull(),
    /** Null for an item's own grader, and for whoever has erased their account since. */
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
