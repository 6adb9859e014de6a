import { type SQL, sql } from "drizzle-orm";
import type { ProgressReport } from "../../schema/api/analytics.ts";
import { enrollmentStatuses } from "../../schema/enums.ts";
import type { Db } from "../db/client.ts";
import { notFound } from "../errors.ts";
import { countNew } from "./count-new.ts";
import type { CoursePeriod, Period } from "./period.ts";
import { dayIn, distinctSince, endOf, momentIn, whole } from "./sql.ts";

/** What is counted of each course. `drops` are those of the period, `dropped` is a status like the others. */
type Counts = Record<
  "mastered" | "trees_completed" | "trees_interrupted" | "drops" | (typeof enrollmentStatuses)[number],
  number | null
>;

/** One course, and how many people were active in it; `all_people` were active anywhere. */
type CourseRow = Counts & {
  course_id: number;
  code: string;
  title: string;
  people: number | null;
  all_people: number | null;
};

type Figures = Omit<ProgressReport, keyof Period | "per_course_breakdown">;

/** How far people get, in all and by course; 404 for an unknown course. */
export async function progressReport(
  db: Db,
  { course_id, ...period }: CoursePeriod,
): Promise<ProgressReport> {
  await countNew(db);
  const { rows } = await db.execute<CourseRow>(sql`
    with offering as (
      select id, course_id from course_offerings where ${course_id ? sql`course_id = ${course_id}` : sql`true`}
    ),
    enrolled as (${enrolled(period)}), mastery as (${mastery(period)}), tree as (${trees(period)}),
    active as (${active(period)})
    select *, (select people from active where course_id is null) as all_people
    from (
      select id as course_id, code, title from courses where ${course_id ? sql`id = ${course_id}` : sql`true`}
    ) as course
    left join enrolled using (course_id) left join mastery using (course_id) left join tree using (course_id)
    left join active using (course_id)
    order by course_id`);
  if (course_id && rows.length === 0) throw notFound("Course");
  return {
    ...period,
    ...figuresOf(rows, (course_id ? rows[0]?.people : rows[0]?.all_people) ?? 0),
    per_course_breakdown: rows.map(({ course_id, code, title, ...row }) => ({
      course_id,
      code,
      title,
      ...figuresOf([row], row.people ?? 0),
    })),
  };
}

/** The figures of some courses together, in which so many people were active. */
function figuresOf(courses: readonly Counts[], people: number): Figures {
  const total = (name: keyof Counts): number => courses.reduce((sum, course) => sum + (course[name] ?? 0), 0);
  const byStatus = enrollmentStatuses.map((status) => [status.toUpperCase(), total(status)] as const);
  return {
    average_mastered_topics_per_user: people > 0 ? total("mastered") / people : null,
    course_tree_completion_count: total("trees_completed"),
    course_tree_interruption_count: total("trees_interrupted"),
    total_enrollments: byStatus.reduce((sum, [, number]) => sum + number, 0),
    enrollment_counts_by_status: Object.fromEntries(byStatus) as Figures["enrollment_counts_by_status"],
    drop_off_count: total("drops"),
  };
}

/** Enrollments of each course as they stand, and the drops of the period. */
const enrolled = (period: Period): SQL => sql`
  select course_id, count(*) filter (where ${momentIn(sql`dropped_at`, period)})::int as drops,
         ${sql.join(
           enrollmentStatuses.map(
             (status) => sql`count(*) filter (where status = ${status})::int as ${sql.identifier(status)}`,
           ),
           sql`, `,
         )}
  from enrollments join offering on offering.id = course_offering_id
  group by course_id`;

/** Topics that were completed in the period. */
const mastery = (period: Period): SQL => sql`
  select course_id, count(*)::int as mastered
  from user_content_progress join offering on offering.id = course_offering_id
  where ${momentIn(sql`completed_at`, period)}
  group by course_id`;

/** People who were active in the period: in each course, and with the course null anywhere. */
const active = (period: Period): SQL => sql`
  select course_id, ${whole(distinctSince(sql`${period.date_from}::date`))} as people from activity_totals
  where scope in ('anywhere', 'course') and ${dayIn(sql`day`, period)}
  group by course_id`;

/** People's trees of a course that were completed in the period, or left alone in its last 14 days. */
const trees = (period: Period): SQL => sql`
  select course_id,
         count(*) filter (where is_whole and ${momentIn(sql`touched_at`, period)})::int as trees_completed,
         count(*) filter (where not is_whole and ${isLeftAlone(period)})::int as trees_interrupted
  from offering
  join (select course_id, array_agg(id) as modules from modules where is_published group by course_id) as published
    using (course_id)
  cross join lateral (
    select user_id,
           count(*) filter (where completed_at < ${endOf(period)}) = cardinality(modules) as is_whole,
           greatest(max(started_at), max(completed_at) filter (where completed_at < ${endOf(period)})) as touched_at
    from user_module_progress
    where course_offering_id = offering.id and module_id = any(modules) and started_at < ${endOf(period)}
    group by user_id
  ) as tree
  group by course_id`;

const isLeftAlone = (period: Period): SQL => sql`
  touched_at < ${endOf(period)} - interval '14 days' and not exists (
    select from activity_events
    where activity_events.course_offering_id = offering.id and activity_events.user_id = tree.user_id
      and occurred_at >= ${endOf(period)} - interval '14 days' and occurred_at < ${endOf(period)})`;
