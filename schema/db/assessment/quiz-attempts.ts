import { sql } from "drizzle-orm";
import {
  boolean,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { type ThrownOutCredit, thrownOutCredits } from "../../enums.ts";
import { contentItems } from "../courses/content-items.ts";
import { courseOfferings } from "../courses/offerings.ts";
import { users } from "../identity/users.ts";
import {
  bigId,
  bigReference,
  decimal,
  id,
  instant,
  jsonObject,
  lowerEnum,
  now,
  oneOf,
  reference,
} from "../platform/columns.ts";
import { questions, questionVersions } from "./questions.ts";

/** An attempt at a quiz. Questions, order, deadline and pass criteria are fixed at its start. */
export const quizAttempts = pgTable(
  "quiz_attempts",
  {
    id: bigId(),
    user_id: reference(() => users.id, "cascade").notNull(),
    course_offering_id: reference(() => courseOfferings.id, "restrict").notNull(),
    content_item_id: reference(() => contentItems.id, "restrict").notNull(),
    attempt_number: integer().notNull().default(1),
    /** While it is open, the course's tutor does not answer. */
    is_exam: boolean().notNull().default(false),
    started_at: instant().notNull().default(now),
    /** Null without a time limit or date. */
    due_at: instant(),
    saved_at: instant(),
    submitted_at: instant(),
    timed_out: boolean().notNull().default(false),
    /** Closed but not graded or regraded yet; the schedule finishes after a crash. */
    awaits_grading: boolean().notNull().default(false),
    score_obtained: decimal(6, 2),
    max_score: decimal(6, 2),
    /** Number of changes of the result; part of the version of its gradebook cell. */
    grade_version: integer().notNull().default(0),
    passing_percent: decimal(5, 2),
    /** Consecutive correct answers needed to pass; null for none. */
    correct_in_row: integer(),
    passed: boolean(),
    /** Saved answers by question id. */
    raw_response_json: jsonObject(),
  },
  (table) => [
    // Concurrent starts cannot both use the last attempt.
    unique("quiz_attempts_attempt_number_unique").on(
      table.user_id,
      table.course_offering_id,
      table.content_item_id,
      table.attempt_number,
    ),
    uniqueIndex("quiz_attempts_open_unique")
      .on(table.user_id, table.course_offering_id, table.content_item_id)
      .where(sql`submitted_at is null`),
    // Read on each message to the tutor.
    index("quiz_attempts_open_exam_index").on(table.user_id).where(sql`is_exam and submitted_at is null`),
    index("quiz_attempts_deadline_index").on(table.due_at).where(sql`submitted_at is null`),
    index("quiz_attempts_awaiting_index").on(table.id).where(sql`awaits_grading`),
    index().on(table.course_offering_id, table.content_item_id, table.id),
    index().on(table.content_item_id),
    index("quiz_attempts_results_index").on(
      table.submitted_at,
      table.passed,
      table.score_obtained,
      table.max_score,
    ),
  ],
);

/** A question of an attempt in the version shown, with the points earned. */
export const quizAttemptQuestions = pgTable(
  "quiz_attempt_questions",
  {
    id: bigId(),
    quiz_attempt_id: bigReference(() => quizAttempts.id, "cascade").notNull(),
    position: integer().notNull(),
    question_id: integer().notNull(),
    version: integer().notNull(),
    /** The options in display order; null for kinds without options. */
    option_ids: text().array(),
    /** The version whose key was used; differs only after a regrade. */
    graded_version: integer().notNull(),
    /** Null before the grade, and for a question thrown out without points. */
    points_earned: decimal(6, 2),
  },
  (table) => [
    unique("quiz_attempt_questions_question_unique").on(table.quiz_attempt_id, table.question_id),
    unique("quiz_attempt_questions_position_unique").on(table.quiz_attempt_id, table.position),
    foreignKey({
      name: "quiz_attempt_questions_version_fk",
      columns: [table.question_id, table.version],
      foreignColumns: [questionVersions.question_id, questionVersions.version],
    }).onDelete("restrict"),
    foreignKey({
      name: "quiz_attempt_questions_graded_version_fk",
      columns: [table.question_id, table.graded_version],
      foreignColumns: [questionVersions.question_id, questionVersions.version],
    }).onDelete("restrict"),
    index().on(table.question_id, table.version),
    index().on(table.question_id, table.graded_version),
  ],
);

/** Questions that no longer test anyone at a quiz in an offering; applies to every attempt that is graded later. */
export const thrownOutQuestions = pgTable(
  "thrown_out_questions",
  {
    course_offering_id: reference(() => courseOfferings.id, "cascade").notNull(),
    content_item_id: reference(() => contentItems.id, "cascade").notNull(),
    question_id: reference(() => questions.id, "cascade").notNull(),
    credit: lowerEnum<ThrownOutCredit>().notNull(),
    reason: text().notNull(),
    thrown_out_at: instant().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.course_offering_id, table.content_item_id, table.question_id] }),
    index().on(table.content_item_id),
    index().on(table.question_id),
    oneOf(table.credit, thrownOutCredits),
  ],
);

/** A person's accommodations for a quiz, lab or assignment; null keeps the item's value. */
export const quizOverrides = pgTable(
  "quiz_overrides",
  {
    id: id(),
    user_id: reference(() => users.id, "cascade").notNull(),
    course_offering_id: reference(() => courseOfferings.id, "cascade").notNull(),
    content_item_id: reference(() => contentItems.id, "cascade").notNull(),
    time_limit_seconds: integer(),
    max_attempts: integer(),
    available_from: instant(),
    /** Infinity for no due date. */
    due_at: instant(),
    created_at: instant().notNull().default(now),
    updated_at: instant().notNull().default(now),
  },
  (table) => [
    unique("quiz_overrides_person_unique").on(table.course_offering_id, table.content_item_id, table.user_id),
    // Few accommodations have an opening; each access to an item checks them.
    index("quiz_overrides_openings_index")
      .on(table.content_item_id, table.user_id)
      .where(sql`${table.available_from} is not null`),
    index("quiz_overrides_due_index").on(table.due_at).where(sql`${table.due_at} is not null`),
    index().on(table.user_id),
    index().on(table.content_item_id),
  ],
);
