import { sql } from "drizzle-orm";
import { boolean, index, integer, pgTable, text, unique, uuid, varchar } from "drizzle-orm/pg-core";
import {
  type GradeSource,
  gradeSources,
  type LabSubmissionStatus,
  labSubmissionStatuses,
} from "../../enums.ts";
import { contentItems } from "../courses/content-items.ts";
import { offeringGroups } from "../courses/offering-groups.ts";
import { courseOfferings } from "../courses/offerings.ts";
import { users } from "../identity/users.ts";
import {
  bigId,
  decimal,
  instant,
  json,
  jsonObject,
  lowerEnum,
  now,
  oneOf,
  reference,
} from "../platform/columns.ts";

/** A level of a rubric as stored with a grade. */
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

export const labSubmissions = pgTable(
  "lab_submissions",
  {
    id: bigId(),
    user_id: reference(() => users.id, "cascade").notNull(),
    course_offering_id: reference(() => courseOfferings.id, "restrict").notNull(),
    content_item_id: reference(() => contentItems.id, "restrict").notNull(),
    attempt_number: integer().notNull().default(1),
    submitted_at: instant().notNull().default(now),
    /** The due date for this person; null for none. */
    due_at: instant(),
    is_late: boolean().notNull().default(false),
    body: text(),
    links: text().array().notNull().default([]),
    data_json: jsonObject(),
    artifacts_url: varchar({ length: 1024 }),
    /** The group that it was handed in for, which may be deleted. */
    group_id: reference(() => offeringGroups.id, "set null"),
    /** Shared by the members' rows of one group submission. */
    group_work: uuid(),
    /** Whether it was graded individually and keeps its grade when the others change. */
    graded_alone: boolean().notNull().default(false),
    status: lowerEnum<LabSubmissionStatus>().notNull().default("submitted"),
    /** The grader who has it open, and until when others cannot grade it. */
    claimed_by_user_id: reference(() => users.id, "set null"),
    claimed_until: instant(),
    score_obtained: decimal(6, 2),
    max_score: decimal(6, 2),
    /** Number of changes of the result; part of the version of its gradebook cell. */
    grade_version: integer().notNull().default(0),
    grade_source: lowerEnum<GradeSource>(),
    graded_at: instant(),
    graded_by_user_id: reference(() => users.id, "set null"),
    instructor_feedback: text(),
    /** The chosen levels of the rubric, with text and points at the time. */
    rubric: json<KeptLevel[]>(),
    returned_at: instant(),
    /** The last result of the automatic grader, and when it was signed. */
    auto_grade_json: jsonObject(),
    auto_graded_at: instant(),
  },
  (table) => [
    // Concurrent submissions cannot both use the last attempt.
    unique("lab_submissions_attempt_number_unique").on(
      table.user_id,
      table.course_offering_id,
      table.content_item_id,
      table.attempt_number,
    ),
    index().on(table.user_id, table.submitted_at, table.id),
    index().on(table.course_offering_id, table.submitted_at, table.id),
    // Few submissions await a grade.
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
