import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { UniversityReport, type UniversityReportQuery } from "../../../schema/api/operations/analytics.ts";
import { enrollmentStatuses } from "../../../schema/enums.ts";
import { notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { ensurePermission } from "../../identity/rbac/policy.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { dailyCountsJsonOfSqlPeriodQuery } from "./daily.ts";
import { isOverAYear } from "./monthly-activity.ts";
import {
  afterWholeMonthsCondition,
  beforeWholeMonthsCondition,
  momentInWholeMonthsCondition,
  monthlyTotalsUntilSql,
  wholeMonthCondition,
  wholeMonthsOfTotalsCte,
} from "./monthly-totals.ts";
import { ensurePeriodInOrder, hasEveryDayListed } from "./period.ts";
import { activePeopleInLastDaysSql, activePeopleQueries } from "./university-activity.ts";
import {
  firstTimeZoneChangeDaySql,
  momentInRequestedPeriodCondition,
  requestedDayCondition,
  requestedSqlPeriod,
  requestedSqlPeriodWithoutEdgeDays,
  resolveUniversityReportPeriod,
  type UniversityReportPeriod,
} from "./university-period.ts";

/** With the page of the report's breakdown. */
type Scope = Pick<UniversityReportQuery, "department_id" | "offering_id" | "skip" | "limit">;

const Row = z.object({
  ...UniversityReport.shape,
  has_university: z.boolean(),
  has_department: z.boolean(),
  has_offering: z.boolean(),
});

/**
 * The platform's reports for a university, department or offering. For the university's administrators; a
 * department_admin must name their department, else 403. Days are in the university's time zone. One
 * statement reads rows, and for more than a year sums. 404 for a scope that does not exist or belongs
 * elsewhere.
 */
export async function universityReport(
  db: ReadDb,
  actor: Actor,
  universityId: number,
  query: Omit<UniversityReportQuery, "format">,
  now: Date,
): Promise<UniversityReport> {
  const { department_id } = query;
  ensurePermission(actor, "university-analytics:read", { university_id: universityId, department_id });
  const [row] = await rowsOf(
    db,
    Row,
    reportStatement(universityId, resolveUniversityReportPeriod(universityId, query, now), query),
  );
  if (!row) throw new Error("the report returned no row");
  const { has_university, has_department, has_offering, ...report } = row;
  if (!has_university) throw notFound("University");
  if (!has_department) throw notFound("Department");
  if (!has_offering) throw notFound("Offering");
  return { ...report, ...ensurePeriodInOrder(report) };
}

function reportStatement(universityId: number, days: UniversityReportPeriod, scope: Scope): SQL {
  const { department_id, offering_id, skip, limit } = scope;
  const isOfMonths = isOverAYear(days.period) && offering_id === undefined;
  const active = activePeopleQueries(universityId, days, scope);
  const ifAsked = (id: number | undefined, where: SQL) =>
    id === undefined ? sql`true` : sql`exists (select from ${where})`;
  return sql`
    with asked as materialized (${days.row}),
    run as materialized (${offeringsOf(universityId, scope)}),
    ${isOfMonths ? sql`${wholeMonthsOfTotalsCte(requestedSqlPeriodWithoutEdgeDays)},` : sql``}
    ${active.parts},
    counted (course_id, name, amount) as (${countsOf(isOfMonths)} union all ${active.ofCourses}),
    summed as (
      select course_id, grouping(course_id) = 1 as is_total, ${sums} from counted
      group by grouping sets ((course_id), ())
    )
    select ${universityId}::int as university_id, ${department_id ?? null}::int as department_id,
           ${offering_id ?? null}::int as offering_id,
           (select date_from::text from asked) as date_from, (select date_to::text from asked) as date_to,
           ${firstTimeZoneChangeDaySql(universityId)} as time_zone_from,
           exists (select from universities where id = ${universityId}) as has_university,
           ${ifAsked(department_id, sql`departments where id = ${department_id} and university_id = ${universityId}`)} as has_department,
           ${ifAsked(offering_id, sql`run`)} as has_offering,
           ${active.users} as active_users,
           ${figures},
           finished_of_started::float8 / nullif(content_started_count, 0) as completion_rate,
           ${activePeopleInLastDaysSql(7)} as weekly_active_users, ${activePeopleInLastDaysSql(30)} as monthly_active_users,
           (${dailyCountsJsonOfSqlPeriodQuery(active.byDay, requestedSqlPeriod, hasEveryDayListed(days.period))}) as daily_active_users, (${breakdown({ skip, limit })}) as per_course_breakdown
    from summed where is_total`;
}

const offeringsOf = (universityId: number, { department_id, offering_id }: Scope): SQL => sql`
  select run.id, run.course_id from course_offerings as run join courses on courses.id = run.course_id
  where run.university_id = ${universityId}
    ${department_id === undefined ? sql`` : sql`and courses.department_id = ${department_id}`}
    ${offering_id === undefined ? sql`` : sql`and run.id = ${offering_id}`}`;

/** Every course has a row, even without counts. */
function countsOf(isOfMonths: boolean): SQL {
  return sql`
    select course_id, 'nothing', 0 from run
    union all
    select course_id, kind.name, kind.amount from (
      select course_id, status, count(*) as standing,
             count(*) filter (where ${momentInRequestedPeriodCondition(sql`enrolled_at`)}) as new,
             count(*) filter (where completion_source <> 'self' and ${momentInRequestedPeriodCondition(sql`completed_at`)}) as completed,
             count(*) filter (where ${momentInRequestedPeriodCondition(sql`dropped_at`)}) as dropped
      from run join enrollments on course_offering_id = run.id group by 1, 2
    ) as enrolled cross join lateral (values
      ('enrollments_' || status, standing), ('new', new), ('completed', completed), ('dropped', dropped)
    ) as kind (name, amount)
    union all
    ${isOfMonths ? learnedInYears() : learnedInDays()}
    union all
    select course_id, result.name, count(*)
    from run join quiz_attempts on course_offering_id = run.id
    cross join lateral (values ('attempts', true), ('passes', passed)) as result (name, holds)
    where result.holds and ${momentInRequestedPeriodCondition(sql`submitted_at`)} group by 1, 2
    union all
    select course_id, 'certificates', count(*) from run join certificates on course_offering_id = run.id
    where replaces_id is null and ${momentInRequestedPeriodCondition(sql`issued_at`)} group by 1
    union all
    -- Those of people who erased their accounts.
    select run.course_id, 'certificates', sum(amount)
    from run join report_totals as kept on kept.course_offering_id = run.id
    where measure = 'certificates_issued' and ${requestedDayCondition(sql`coalesce(local_day, day)`)}
    group by 1`;
}

function learnedInDays(): SQL {
  const [begun, finished] = [
    momentInRequestedPeriodCondition(sql`mine.first_started_at`),
    momentInRequestedPeriodCondition(sql`mine.completed_at`),
  ];
  return sql`
    select course_id, kind.name, kind.amount from (
      select course_id, count(*) filter (where ${begun}) as begun, count(*) filter (where ${finished}) as finished,
             count(mine.completed_at) filter (where ${begun}) as finished_of_started
      from run join user_content_progress as mine on mine.course_offering_id = run.id
      where ${begun} or ${finished} group by 1
    ) as learned cross join lateral (values
      ('started', begun), ('finished', finished), ('finished_of_started', finished_of_started)) as kind (name, amount)`;
}

/** More than a year: whole months' sums, rows of the days around, and later completions. */
function learnedInYears(): SQL {
  const isListed = sql`course_id in (select course_id from run)`;
  const mine = sql`user_content_progress as mine join run on run.id = mine.course_offering_id`;
  const around = [beforeWholeMonthsCondition, afterWholeMonthsCondition].flatMap((isAround) => [
    sql`
      select run.course_id, kind.name, sum(kind.amount) from ${mine}
      cross join lateral (values ('started', 1), ('finished_of_started', (mine.completed_at is not null)::int)) as kind (name, amount)
      where ${momentInRequestedPeriodCondition(sql`mine.first_started_at`)} and ${isAround(sql`mine.first_started_at`)} group by 1, 2`,
    sql`
      select run.course_id, 'finished', count(*) from ${mine}
      where ${momentInRequestedPeriodCondition(sql`mine.completed_at`)} and ${isAround(sql`mine.completed_at`)} group by 1`,
  ]);
  return sql`
    select course_id, case measure when 'topics_started' then 'started' else 'finished' end, sum(amount) from fact_months
    where measure in ('topics_started', 'topics_completed') and ${wholeMonthCondition(sql`month`)} and ${isListed} group by 1, 2
    union all
    select course_id, 'finished_of_started', sum(amount) from fact_months
    where measure = 'topics_completed' and month < (select ${monthlyTotalsUntilSql}) and ${wholeMonthCondition(sql`since`)} and ${isListed} group by 1
    union all
    select run.course_id, 'finished_of_started', count(*) from ${mine}
    where mine.completed_at >= utc_midnight((select ${monthlyTotalsUntilSql})) and ${momentInWholeMonthsCondition(sql`mine.first_started_at`)} group by 1
    union all
    ${sql.join(around, sql` union all `)}`;
}

const named = (name: string): SQL => sql`coalesce(sum(amount) filter (where name = ${name}::text), 0)::int`;

const byStatus = sql.join(
  enrollmentStatuses.map((status) => sql`${status.toUpperCase()}::text, ${named(`enrollments_${status}`)}`),
  sql`, `,
);

const sums = sql`
  coalesce(sum(amount) filter (where name like 'enrollments%'), 0)::int as total_enrollments,
  json_build_object(${byStatus}) as enrollment_counts_by_status,
  ${named("new")} as new_enrollment_count, ${named("completed")} as completed_enrollment_count,
  ${named("dropped")} as drop_off_count, ${named("started")} as content_started_count,
  ${named("finished")} as content_completed_count, ${named("questions")} as tutor_question_count,
  ${named("attempts")} as quiz_attempt_count, ${named("passes")} as quiz_pass_count,
  ${named("certificates")} as certificate_issue_count, ${named("people")} as people, ${named("finished_of_started")} as finished_of_started`;

const figures = sql`
  total_enrollments, enrollment_counts_by_status, new_enrollment_count, completed_enrollment_count, drop_off_count,
  content_started_count, content_completed_count, tutor_question_count, quiz_attempt_count, quiz_pass_count,
  certificate_issue_count`;

const breakdown = ({ skip, limit }: Pick<Scope, "skip" | "limit">): SQL => sql`
  select coalesce(json_agg(to_json(shown) order by shown.course_id), '[]') from (
    select courses.id as course_id, courses.code, courses.title, people as active_users, ${figures}
    from summed join courses on courses.id = summed.course_id
    where not summed.is_total order by courses.id offset ${skip} limit ${limit}
  ) as shown`;
