import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type {
  Submission,
  SubmissionGrade,
  SubmissionReturn,
} from "../../schema/api/assessment/submissions.ts";
import { toInstant } from "../../schema/db/platform/columns.ts";
import { badRequest, forbidden, nonexistentFileErrorFromRefusal } from "../errors.ts";
import type { Actor } from "../identity/auth/actor.ts";
import { requestAuditJson } from "../platform/async/request-context.ts";
import type { Db } from "../platform/db/client.ts";
import { rowsOf } from "../platform/db/query/rows.ts";
import { retryWhileBusy } from "../platform/db/retry-window.ts";
import { ItemScoreLimit, scoreAboveLimitError } from "./score-bound.ts";
import { StoredSubmission, submissionJsonSql, toSubmissionForStaff } from "./stored-submission.ts";
import { explainSubmissionRefusal, permittedSubmissionQuery } from "./submissions.ts";

/*
 * Database functions claim, grade and return a submission. They return its current state, 404 if the caller
 * cannot see it, 403 if they are not staff of its course or own it. 400 while another grader has claimed it,
 * after it was returned, and for grading after the course grade is final.
 */

/** Claims a submission for 15 minutes, or for 15 more. */
export const claimSubmission = (db: Db, actor: Actor, id: number, now: Date): Promise<Submission> =>
  change(db, actor, id, sql`claim_submission(permitted.id, ${actor.id}, ${now.toISOString()})`);

/** Ends the caller's claim; a claim of another grader stays. */
export async function releaseSubmissionClaim(db: Db, actor: Actor, id: number): Promise<void> {
  const { rows } = await db.execute(sql`
    with permitted as materialized (${permittedSubmissionQuery(actor, "submission:grade", id)}),
    released as (
      update lab_submissions set claimed_by_user_id = null, claimed_until = null
      from permitted where lab_submissions.id in (select submissions_sharing_files(permitted.id)) and claimed_by_user_id = ${actor.id}
    )
    select id from permitted`);
  if (rows.length === 0) await explainSubmissionRefusal(db, actor, id);
}

/** Null for a grade or a mark, else whether the caller may agree upon others' marks. */
const judge = (
  db: Db,
  actor: Actor,
  id: number,
  { score_obtained, feedback, reason, feedback_file_ids, rubric, alone }: SubmissionGrade,
  now: Date,
  agrees: SQL,
): Promise<Submission> => {
  const given = {
    ...{ points: score_obtained, feedback, why: reason, file_ids: feedback_file_ids },
    ...{ chosen: rubric, alone },
  };
  return change(
    db,
    actor,
    id,
    sql`grade_submission(permitted.id, ${actor.id},
      ${JSON.stringify(given)}::jsonb || jsonb_build_object('agrees', ${agrees}), ${now.toISOString()},
      ${requestAuditJson()}::jsonb)`,
  );
};

/**
 * Grades by hand, over the current grade, and ends the claim. In an item with two marks it is the caller's
 * mark, and the grade only if both are equal; 400 for a third mark.
 */
export const gradeSubmission = (db: Db, actor: Actor, id: number, grade: SubmissionGrade, now: Date) =>
  judge(db, actor, id, grade, now, sql`null::boolean`);

/** Grades after two marks: 400 before both exist, 403 unless the caller gave one or is an instructor. */
export const agreeOnGrade = (db: Db, actor: Actor, id: number, grade: SubmissionGrade, now: Date) =>
  judge(db, actor, id, grade, now, sql`permitted.decides`);

/** Allows another attempt, which the limit does not count, and withdraws the grade. */
export const returnSubmission = (
  db: Db,
  actor: Actor,
  id: number,
  { feedback, feedback_file_ids }: SubmissionReturn,
  now: Date,
): Promise<Submission> =>
  change(
    db,
    actor,
    id,
    sql`return_submission(permitted.id, ${actor.id}, ${feedback}, ${now.toISOString()}, ${requestAuditJson()}::jsonb,
      ${idsOrNull(feedback_file_ids)})`,
  );

const idsOrNull = (ids: readonly number[] | null | undefined): SQL =>
  ids ? sql`${sql.param(ids)}::bigint[]` : sql`null::bigint[]`;

const Changed = z.object({
  refusal: z
    .union([
      z.enum([
        ...["own", "final", "returned", "claimed", "too many points", "not each criterion"],
        ...["two marks", "marks missing", "not theirs", "files of mark"],
      ] as const),
      z.templateLiteral(["no file ", z.int()]),
      z.templateLiteral(["no level ", z.int()]),
    ])
    .nullable(),
  submission: StoredSubmission,
  bound: ItemScoreLimit.nullable(),
});

async function change(db: Db, actor: Actor, id: number, call: SQL): Promise<Submission> {
  const [row] = await retryWhileBusy(() =>
    rowsOf(
      db,
      Changed,
      sql`
        with permitted as materialized (${permittedSubmissionQuery(actor, "submission:grade", id)})
        select changed.refusal, ${submissionJsonSql(sql`changed.submission`, actor.id)} as submission, to_jsonb(changed) -> 'bound' as bound
        from permitted cross join lateral ${call} as changed`,
    ),
  );
  if (!row) return explainSubmissionRefusal(db, actor, id);
  const { refusal, submission, bound } = row;
  const misplaced = nonexistentFileErrorFromRefusal(refusal);
  if (misplaced) throw misplaced;
  if (refusal?.startsWith("no level "))
    throw badRequest("no_such_rubric_level", { criterion: refusal.slice(9) });
  switch (refusal) {
    case "own":
      throw forbidden("own_work");
    case "final":
      throw badRequest("grade_is_final");
    case "returned":
      throw badRequest("submission_returned");
    case "claimed":
      throw badRequest("claimed_by_another", { moment: toInstant(submission.claimed_until ?? "") });
    case "two marks":
      throw badRequest("two_marks_given");
    case "marks missing":
      throw badRequest("marks_missing");
    case "not theirs":
      throw forbidden("marks_of_others");
    case "files of mark":
      throw badRequest("mark_without_files");
    case "not each criterion":
      throw badRequest("rubric_incomplete");
    case "too many points":
      throw scoreAboveLimitError(bound);
    default:
      return toSubmissionForStaff(submission);
  }
}
