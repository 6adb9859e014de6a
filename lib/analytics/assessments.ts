import { sql } from "drizzle-orm";
import type { AssessmentsReport } from "../../schema/api/analytics.ts";
import type { Db } from "../db/client.ts";
import type { Period } from "./period.ts";
import { momentIn, per } from "./sql.ts";

/** How quizzes and labs turn out. */
export async function assessmentsReport(db: Db, period: Period): Promise<AssessmentsReport> {
  const graded = sql`count(passed)`;
  const { rows } = await db.execute<Omit<AssessmentsReport, keyof Period>>(sql`
    select quizzes.*, labs.*
    from (
      select count(*)::int as quiz_attempt_count,
             count(*) filter (where passed)::int as quiz_pass_count,
             count(*) filter (where not passed)::int as quiz_fail_count,
             ${per(sql`count(*) filter (where passed)`, graded)} as quiz_pass_rate,
             ${per(sql`count(*) filter (where not passed)`, graded)} as quiz_fail_rate,
             avg(score_obtained / nullif(max_score, 0))::float8 as average_quiz_score
      from quiz_attempts where ${momentIn(sql`submitted_at`, period)}
    ) as quizzes, (
      select count(*)::int as lab_submission_count,
             count(*) filter (where status = 'graded')::int as lab_graded_count,
             avg(score_obtained / nullif(max_score, 0))::float8 as average_lab_score
      from lab_submissions where ${momentIn(sql`submitted_at`, period)}
    ) as labs`);
  if (!rows[0]) throw new Error("a sum has no row");
  return { ...period, ...rows[0] };
}
