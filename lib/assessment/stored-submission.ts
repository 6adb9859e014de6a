import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { ChosenLevels } from "../../schema/api/assessment/rubrics.ts";
import { SharedWith, type Submission, SubmissionMarks } from "../../schema/api/assessment/submissions.ts";
import { FileSummary } from "../../schema/api/files/files.ts";
import { momentForm, toInstant } from "../../schema/db/platform/columns.ts";
import { gradeSources, labSubmissionStatuses } from "../../schema/enums.ts";
import { StoredInstant } from "../platform/db/query/rows.ts";
import {
  anonymizedSubmission,
  anonymizedSubmittedAtSql,
  nullUnlessAnonymousSql,
} from "./anonymous-grading.ts";

const Moment = StoredInstant.nullable();
const Json = z.record(z.string(), z.unknown()).nullable();

/** As database functions return it. */
export const StoredSubmission = z.object({
  id: z.int(),
  user_id: z.int(),
  code: z.string().nullable(),
  /** The submission's moment to show while its person is hidden, else null. */
  hidden_at: z.string().nullable(),
  course_offering_id: z.int(),
  content_item_id: z.int(),
  attempt_number: z.int(),
  group_id: z.int().nullable(),
  group_work: z.string().nullable(),
  graded_alone: z.boolean(),
  shared_with: SharedWith,
  submitted_at: StoredInstant,
  due_at: Moment,
  is_late: z.boolean(),
  late_days: z.int(),
  body: z.string().nullable(),
  links: z.array(z.string()),
  data_json: Json,
  artifacts_url: z.string().nullable(),
  status: z.enum(labSubmissionStatuses),
  claimed_by_user_id: z.int().nullable(),
  claimed_until: Moment,
  score_obtained: z.number().nullable(),
  max_score: z.number().nullable(),
  late_deduction: z.number().nullable(),
  grade_version: z.int(),
  grade_source: z.enum(gradeSources).nullable(),
  graded_at: Moment,
  graded_by_user_id: z.int().nullable(),
  instructor_feedback: z.string().nullable(),
  rubric: ChosenLevels.nullable(),
  marks: SubmissionMarks,
  returned_at: Moment,
  auto_grade_json: Json,
  auto_graded_at: Moment,
  files: z.array(FileSummary),
  feedback_files: z.array(FileSummary),
});

/** The other members with the same group work, by id. */
export const otherGroupWorkMembersJsonSql = (submission: SQL): SQL => sql`(
  select coalesce(jsonb_agg(jsonb_build_object(
    'submission_id', one.id, 'user_id', one.user_id,
    'full_name', case when person.erased_at is null then person.full_name end) order by one.id), '[]')
  from lab_submissions as one join users as person on person.id = one.user_id
  where one.group_work = (${submission}).group_work and one.id <> (${submission}).id)`;

/** As JSON with files, marks and lateness, or null. */
export const submissionJsonSql = (
  submission: SQL,
  reader: number,
): SQL => sql`to_jsonb(${submission}) || jsonb_build_object(
  'marks', visible_marks_of_submission(${submission}, ${reader}),
  'code', anonymous_code((${submission}).course_offering_id, (${submission}).content_item_id, (${submission}).user_id),
  'hidden_at', ${hiddenAt(submission)},
  'shared_with', ${otherGroupWorkMembersJsonSql(submission)}, 'late_days', late_days_of_submission(${submission}), 'late_deduction', late_deduction_of_submission(${submission}),
  'files', attached_files_json('submission', (${submission}).id), 'feedback_files', attached_files_json('feedback', (${submission}).id))`;

function hiddenAt(submission: SQL): SQL {
  const work = {
    offering: sql`(${submission}).course_offering_id`,
    item: sql`(${submission}).content_item_id`,
  };
  const moment = anonymizedSubmittedAtSql(
    work,
    sql`(${submission}).submitted_at`,
    sql`late_days_of_submission(${submission})`,
  );
  return nullUnlessAnonymousSql(work, momentForm(moment));
}

export type StoredSubmission = z.output<typeof StoredSubmission>;

const instant = (stored: string | null): string | null => stored && toInstant(stored);

/** For the owner and staff who may know the person. */
export function toSubmission(stored: StoredSubmission): Submission {
  const {
    graded_by_user_id: _,
    auto_graded_at: __,
    grade_version: ___,
    group_work: ____,
    hidden_at: _____,
    ...submission
  } = stored;
  return {
    ...submission,
    submitted_at: toInstant(stored.submitted_at),
    due_at: instant(stored.due_at),
    claimed_until: instant(stored.claimed_until),
    graded_at: instant(stored.graded_at),
    returned_at: instant(stored.returned_at),
  };
}

export const toSubmissionForStaff = (stored: StoredSubmission): Submission =>
  stored.hidden_at === null
    ? toSubmission(stored)
    : anonymizedSubmission(toSubmission(stored), stored.hidden_at);
