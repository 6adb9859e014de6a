import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { ProgressReport } from "../../../schema/api/operations/analytics.ts";
import type { Window } from "../../../schema/api/platform/fields.ts";
import { enrollmentStatuses } from "../../../schema/enums.ts";
import { notFound } from "../../errors.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import {
  completedLearnerCountsByCourseSql,
  interruptedLearnerCountsByCourseSql,
} from "./interrupted-progress.ts";
import {
  activityMonthInWholeMonthsCondition,
  activityOutsideWholeMonthsSql,
  firstInWholeMonthsCondition,
  isOverAYear,
  monthlyActivitySumsSql,
  wholeMonthsQuery,
} from "./monthly-activity.ts";
import { totalsWithWholeMonthsSql, wholeMonthsOfTotalsCte } from "./monthly-totals.ts";
import type { CoursePeriod, ReportPeriod } from "./period.ts";
import { activityBehindSinceSql, asOfField, BehindSinceColumn, nullIfDayNotCounted } from "./report-delay.ts";
import { activityDaysInPeriodSql, dailyAndCurrentTotalsSql } from "./totals.ts";

const enrollments = enrollmentStatuses.map((status) => `enrollments_${status}` as const);

/** By course or overall, except active people. */
const counted = [
  "topics_completed",
  "trees_completed",
  "trees_interrupted",
  "drops",
  ...enrollments,
] as const;

const Counts = z.object({
  people: z.int(),
  ...(Object.fromEntries(counted.map((name) => [name, z.int()])) as Record<
    (typeof counted)[number],
    z.ZodInt
  >),
});

type Counts = z.output<typeof Counts>;

const CountsRow = z.union([
  Counts.extend({ course_id: z.int(), code: z.string(), title: z.string(), ...BehindSinceColumn }),
  Counts.extend({ course_id: z.null(), code: z.null(), title: z.null(), ...BehindSinceColumn }),
]);

type Figures = Omit<ProgressReport, keyof ReportPeriod | "as_of" | "per_course_breakdown">;

/** Overall and by course; 404 for an unknown course. */
export async function progressReport(
  db: ReadDb,
  { course_id, ...period }: CoursePeriod,
  { skip, limit }: Window,
): Promise<ProgressReport> {
  const listed = course_id
    ? sql`select id, code, title from courses where id = ${course_id}`
    : sql`(select id, code, title from courses order by id offset ${skip} limit ${limit})
          union all select null, null, null`;
  const statement = sql`
    with ${isOverAYear(period) ? sql`${wholeMonthsOfTotalsCte(period)},` : sql``} listed as (${listed}), counted (course_id, name, amount) as (${countsOf({ course_id, ...period })}),
    summed as (select course_id, ${sums} from counted group by grouping sets ((course_id), ())),
    ${isOverAYear(period) ? peopleInYears({ course_id, ...period }) : peopleInDays({ course_id, period })}
    select id as course_id, code, title, ${activityBehindSinceSql(course_id)}, coalesce(people, 0) as people, ${figures}
    from listed
    left join summed on coalesce(summed.course_id, 0) = coalesce(listed.id, 0)
    left join people on coalesce(people.course_id, 0) = coalesce(listed.id, 0)
    order by listed.id`;
  const rows = await rowsOf(db, CountsRow, statement);
  const courses = rows.filter((row) => row.course_id !== null);
  if (course_id && courses.length === 0) throw notFound("Course");
  const total = course_id ? courses[0] : rows.find((row) => row.course_id === null);
  if (!total) throw new Error("an aggregate returned no row");
  return {
    ...period,
    ...asOfField(total.behind_since),
    ...figuresOf(total, period),
    per_course_breakdown: courses.map(({ course_id, code, title, ...row }) => ({
      course_id,
      code,
      title,
      ...figuresOf(row, period),
    })),
  };
}

const peopleInDays = (filter: { course_id: number | undefined; period: ReportPeriod }): SQL => sql`
  active as materialized (select distinct course_id, user_id from ${activityDaysInPeriodSql(filter)}),
  people as (
    select course_id, count(*)::int as people from active where course_id is not null group by 1
    union all
    -- Hashed: a count of distinct ones is sorted, on disk where there are many.
    select null, count(*)::int from (select distinct user_id from active) as anywhere
  )`;

/**
 * For more than a year. Looks up people of the partial months individually; a join would read everyone's
 * months.
 */
function peopleInYears({ course_id, ...period }: CoursePeriod): SQL {
  const wasActive = (where: SQL) => sql`coalesce((
    select true from activity_months as active
    where active.user_id = around.user_id and active.content_item_id is null and ${where} and ${activityMonthInWholeMonthsCondition}
    limit 1), false)`;
  return sql`
    whole as materialized (${wholeMonthsQuery(period)}),
    around as materialized (select distinct course_id, user_id from ${activityOutsideWholeMonthsSql({ course_id, ...period })}),
    people as (
      select course_id, sum(amount)::int as people from (
        select course_id, count(*) as amount from around
        where course_id is not null and not ${wasActive(sql`active.course_id = around.course_id`)} group by 1
        union all
        select sums.course_id, amount from listed join (
          select course_id, amount from ${monthlyActivitySumsSql(["people"], course_id)} and ${firstInWholeMonthsCondition}
        ) as sums on sums.course_id = listed.id
      ) as one group by 1
      union all
      select null, sum(amount)::int from (
        select count(*) as amount from (select distinct user_id from around) as around
        where not ${wasActive(sql`true`)}
        union all
        select amount from ${monthlyActivitySumsSql(["all_people"])} and ${firstInWholeMonthsCondition}
      ) as one
    )`;
}

/** By course. Enrollments are current, interrupted trees as of the period's end. */
function countsOf({ course_id, ...period }: CoursePeriod): SQL {
  const measures = ["topics_completed", "drops"] as const;
  const learned = isOverAYear(period)
    ? totalsWithWholeMonthsSql("learning", measures, { course_id, ...period })
    : dailyAndCurrentTotalsSql("learning", measures, { course_id, period });
  const enrolled = dailyAndCurrentTotalsSql("enrollments", enrollments, { course_id });
  return sql`
    select course_id, measure, sum(amount)
    from (select * from ${learned} as learned union all select * from ${enrolled} as enrolled) as total group by 1, 2
    union all
    select course_id, 'trees_completed', amount from ${completedLearnerCountsByCourseSql(period, course_id)} as completed
    union all
    select course_id, 'trees_interrupted', amount
    from ${interruptedLearnerCountsByCourseSql(sql`${period.date_to}::date`, course_id)} as interrupted`;
}

const columns = counted.map((name) => ({ name: sql`${name}::text`, column: sql.identifier(name) }));

const sums = sql.join(
  columns.map(({ name, column }) => sql`sum(amount) filter (where name = ${name})::int as ${column}`),
  sql`, `,
);

const figures = sql.join(
  columns.map(({ column }) => sql`coalesce(${column}, 0) as ${column}`),
  sql`, `,
);

/** The roll-up computes course completion, unknown while it is behind. */
function figuresOf(
  { behind_since, ...counts }: Counts & { behind_since: string | null },
  { date_to }: ReportPeriod,
): Figures {
  const isBehind = behind_since !== null;
  const byStatus = enrollmentStatuses.map(
    (status) => [status.toUpperCase(), counts[`enrollments_${status}`]] as const,
  );
  return {
    average_mastered_topics_per_user: nullIfDayNotCounted(
      behind_since,
      date_to,
      counts.people > 0 ? counts.topics_completed / counts.people : null,
    ),
    course_tree_completion_count: isBehind ? null : counts.trees_completed,
    course_tree_interruption_count: isBehind ? null : counts.trees_interrupted,
    total_enrollments: byStatus.reduce((sum, [, number]) => sum + number, 0),
    enrollment_counts_by_status: Object.fromEntries(byStatus) as Figures["enrollment_counts_by_status"],
    drop_off_count: counts.drops,
  };
}
