import { sql } from "drizzle-orm";
import { AssessmentsReport } from "../../../schema/api/operations/analytics.ts";
import { notFound } from "../../errors.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import type { CoursePeriod } from "./period.ts";
import { integerOrZeroSql, ratioSql, sumsOfTotalsQuery } from "./totals.ts";

const Row = AssessmentsReport.omit({ date_from: true, date_to: true });

const measures = [
  "quizzes_submitted",
  "quizzes_passed",
  "quizzes_failed",
  "quizzes_scored",
  "quiz_scores",
  "labs_submitted",
  "labs_graded",
  "labs_scored",
  "lab_scores",
  "assignments_submitted",
  "assignments_graded",
  "assignments_scored",
  "assignment_scores",
  "certificates_issued",
  "certificates_revoked",
] as const;

/** Quizzes, labs, assignments and certificates, for all courses or one; 404 for an unknown one. */
export async function assessmentsReport(
  db: ReadDb,
  { course_id, ...period }: CoursePeriod,
): Promise<AssessmentsReport> {
  const [passed, failed] = [integerOrZeroSql(sql`quizzes_passed`), integerOrZeroSql(sql`quizzes_failed`)];
  const graded = sql`(${passed} + ${failed})`;
  const statement = sql`
    select ${integerOrZeroSql(sql`quizzes_submitted`)} as quiz_attempt_count,
           ${passed} as quiz_pass_count,
           ${failed} as quiz_fail_count,
           ${ratioSql(passed, graded)} as quiz_pass_rate,
           ${ratioSql(failed, graded)} as quiz_fail_rate,
           ${ratioSql(sql`quiz_scores`, sql`quizzes_scored`)} as average_quiz_score,
           ${integerOrZeroSql(sql`labs_submitted`)} as lab_submission_count,
           ${integerOrZeroSql(sql`labs_graded`)} as lab_graded_count,
           ${ratioSql(sql`lab_scores`, sql`labs_scored`)} as average_lab_score,
           ${integerOrZeroSql(sql`assignments_submitted`)} as assignment_submission_count,
           ${integerOrZeroSql(sql`assignments_graded`)} as assignment_graded_count,
           ${ratioSql(sql`assignment_scores`, sql`assignments_scored`)} as average_assignment_score,
           ${integerOrZeroSql(sql`certificates_issued`)} as certificate_issue_count,
           ${integerOrZeroSql(sql`certificates_revoked`)} as certificate_revocation_count
    from (${sumsOfTotalsQuery("assessments", measures, { course_id, period })}) as result
    where ${course_id ? sql`exists (select from courses where id = ${course_id})` : sql`true`}`;
  const [row] = await rowsOf(db, Row, statement);
  if (!row) throw notFound("Course");
  return { ...period, ...row };
}
