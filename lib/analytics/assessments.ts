import { sql } from "drizzle-orm";
import { AssessmentsReport } from "../../schema/api/analytics.ts";
import type { ReportMeasure } from "../../schema/enums.ts";
import type { Db } from "../db/client.ts";
import { rowsOf } from "../db/rows.ts";
import { notFound } from "../errors.ts";
import { asOf, Behind, behindSince } from "./as-of.ts";
import type { CoursePeriod } from "./period.ts";
import { countOf, ratio, sumOf, uncounted } from "./totals.ts";

const Row = AssessmentsReport.omit({ date_from: true, date_to: true, as_of: true }).extend(Behind);

/** How quizzes and labs turn out, and the certificates that come of it, in all or in one course; 404 for an unknown one. */
export async function assessmentsReport(
  db: Db,
  { course_id, ...period }: CoursePeriod,
): Promise<AssessmentsReport> {
  const filter = { course_id, period };
  const number = (measure: ReportMeasure) => countOf(measure, filter);
  const graded = sql`(${number("quizzes_passed")} + ${number("quizzes_failed")})`;
  const statement = sql`
    with ${uncounted}
    select ${behindSince},
           ${number("quizzes_submitted")} as quiz_attempt_count,
           ${number("quizzes_passed")} as quiz_pass_count,
           ${number("quizzes_failed")} as quiz_fail_count,
           ${ratio(sql`${number("quizzes_passed")}::float8`, graded)} as quiz_pass_rate,
           ${ratio(sql`${number("quizzes_failed")}::float8`, graded)} as quiz_fail_rate,
           ${ratio(sumOf("quiz_scores", filter), number("quizzes_scored"))} as average_quiz_score,
           ${number("labs_submitted")} as lab_submission_count,
           ${number("labs_graded")} as lab_graded_count,
           ${ratio(sumOf("lab_scores", filter), number("labs_scored"))} as average_lab_score,
           ${number("certificates_issued")} as certificate_issue_count,
           ${number("certificates_revoked")} as certificate_revocation_count
    where ${course_id ? sql`exists (select from courses where id = ${course_id})` : sql`true`}`;
  const [row] = await rowsOf(db, Row, statement);
  if (!row) throw notFound("Course");
  const { behind_since, ...figures } = row;
  return { ...period, ...asOf(behind_since), ...figures };
}
