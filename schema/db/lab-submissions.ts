import { sql } from "drizzle-orm";
import { boolean, index, integer, pgTable, text, unique, uuid, varchar } from "drizzle-orm/pg-core";
import { type GradeSource, gradeSources, type LabSubmissionStatus, labSubmissionStatuses } from "../enums.ts";
import { bigId, decimal, instant, json, jsonObject, lowerEnum, now, oneOf, reference } from "./columns.ts";
import { contentItems } from "./content-items.ts";
import { offeringGroups } from "./offering-groups.ts";
import { courseOfferings } from "./offerings.ts";
import { users } from "./users.ts";

/** A level of a rubric as a grade keeps it. */
export type KeptLevel = {
  criterion_id: string;
  title: string;
  level_id: string;
  level: string;
  description: string | null;
  points: number;
  most: number;
  comment: string | null;
};

/** Work that a person handed in for an engineering lab or an assignment, and its grade. Each attempt is a row. */
export const labSubmissions = pgTable(
  "lab_submissions",
  {
    id: bigId(),
    user_id: reference(() => users.id, "cascade").notNull(),
    course_offering_id: reference(() => courseOfferings.id, "restrict").notNull(),
    content_item_id: reference(() => contentItems.id, "restrict").notNull(),
    attempt_number: integer().notNull().default(1),
    submitted_at: instant().notNull().default(now),
    /** What it was due by, for this person; null where nothing says so. */
    due_at: instant(),
    is_late: boolean().notNull().default(false),
    body: text(),
    links: text().array().notNull().default([]),
    data_json: jsonObject(),
    artifacts_url: varchar({ length: 1024 }),
    /** The group that it was handed in for, which may be gone by now. */
    group_id: reference(() => offeringGroups.id, "set null"),
    /** What the members of a group have in common who handed this in together: each has a row of their own. */
    group_work: uuid(),
    /** Whether its grade was given to this one alone, and stays when the others get another. */
    graded_alone: boolean().notNull().default(false),
    status: lowerEnum<LabSubmissionStatus>().notNull().default("submitted"),
    /** Whoever looks at it now, and until when nobody else may grade it. */
    claimed_by_user_id: reference(() => users.id, "set null"),
    claimed_until: instant(),
    score_obtained: decimal(6, 2),
    max_score: decimal(6, 2),
    /** How often its result became another: part of the version of its cell in the gradebook. */
    grade_version: integer().notNull().default(0),
    grade_source: lowerEnum<GradeSource>(),
    graded_at: instant(),
    graded_by_user_id: reference(() => users.id, "set null"),
    instructor_feedback: text(),
    /** The levels of the item's rubric that were chosen, with their words and points of then. */
    rubric: json<KeptLevel[]>(),
    returned_at: instant(),
    /** What the item's own grader said last, and when it signed that. */
    auto_grade_json: jsonObject(),
    auto_graded_at: instant(),
  },
  (table) => [
    // Two submissions at once cannot both be the last one allowed.
    unique("lab_submissions_attempt_number_unique").on(
      table.user_id,
      table.course_offering_id,
      table.content_item_id,
      table.attempt_number,
    ),
    index().on(table.user_id, table.submitted_at, table.id),
    index().on(table.course_offering_id, table.submitted_at, table.id),
    // What waits for its grade is little of what was handed in.
    index("lab_submissions_to_grade_index").on(table.course_offering_id).where(sql`status = 'submitted'`),
    index().on(table.content_item_id),
    index().on(table.claimed_by_user_id),
    index().on(table.graded_by_user_id),
    index().on(table.group_id),
    index("lab_submissions_group_work_index").on(table.group_work).where(sql`group_work is not null`),
    index("lab_submissions_results_index").on(
      table.submitted_at,
      table.status,
      table.score_obtained,
      table.max_score,
      table.content_item_id,
    ),
    oneOf(table.status, labSubmissionStatuses),
    oneOf(table.grade_source, gradeSources),
  ],
);
