import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { FileSummary } from "../../schema/api/files.ts";
import type { Submission } from "../../schema/api/submissions.ts";
import { toInstant } from "../../schema/db/columns.ts";
import { gradeSources, labSubmissionStatuses } from "../../schema/enums.ts";
import { StoredInstant } from "../db/query/rows.ts";

const Moment = StoredInstant.nullable();
const Json = z.record(z.string(), z.unknown()).nullable();

/** A submission as functions of the database answer it. */
export const StoredSubmission = z.object({
  id: z.int(),
  user_id: z.int(),
  course_offering_id: z.int(),
  content_item_id: z.int(),
  attempt_number: z.int(),
  submitted_at: StoredInstant,
  due_at: Moment,
  is_late: z.boolean(),
  body: z.string().nullable(),
  links: z.array(z.string()),
  data_json: Json,
  artifacts_url: z.string().nullable(),
  status: z.enum(labSubmissionStatuses),
  claimed_by_user_id: z.int().nullable(),
  claimed_until: Moment,
  score_obtained: z.number().nullable(),
  max_score: z.number().nullable(),
  grade_version: z.int(),
  grade_source: z.enum(gradeSources).nullable(),
  graded_at: Moment,
  graded_by_user_id: z.int().nullable(),
  instructor_feedback: z.string().nullable(),
  returned_at: Moment,
  auto_grade_json: Json,
  auto_graded_at: Moment,
  files: z.array(FileSummary),
  feedback_files: z.array(FileSummary),
});

/** A submission that a function of the database answered, with its files, as JSON; null where it is. */
export const submissionJson = (submission: SQL): SQL => sql`to_jsonb(${submission}) || jsonb_build_object(
  'files', files_of_submission((${submission}).id), 'feedback_files', feedback_files_of((${submission}).id))`;

export type StoredSubmission = z.output<typeof StoredSubmission>;

const instant = (stored: string | null): string | null => stored && toInstant(stored);

/** A submission as its staff sees it, whole. */
export function submissionOf(stored: StoredSubmission): Submission {
  const { graded_by_user_id: _, auto_graded_at: __, grade_version: ___, ...submission } = stored;
  return {
    ...submission,
    submitted_at: toInstant(stored.submitted_at),
    due_at: instant(stored.due_at),
    claimed_until: instant(stored.claimed_until),
    graded_at: instant(stored.graded_at),
    returned_at: instant(stored.returned_at),
  };
}
