import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { ProgressReport } from "../../schema/api/analytics.ts";
import type { Window } from "../../schema/api/fields.ts";
import { enrollmentStatuses } from "../../schema/enums.ts";
import type { Db } from "../db/client.ts";
import { rowsOf } from "../db/rows.ts";
import { notFound } from "../errors.ts";
import { asOf, Behind, behindSince } from "./as-of.ts";
import type { CoursePeriod, Period } from "./period.ts";
import { distinctOf, sumOf, type TotalsFilter, uncounted } from "./totals.ts";

const statuses = enrollmentStatuses.map((status) => `enrollments_${status}` as const);

/** What is counted for one course, or for all. */
const counted = ["people", "mastered", "trees_completed", "trees_interrupted", "drops", ...statuses] as const;

type Counts = Record<(typeof counted)[number], number>;

const counts = Object.fromEntries(counted.map((name) => [name, z.int()])) as Record<keyof Counts, z.ZodInt>;

const CountsRow = z.union([
  z.object({ course_id: z.int(), code: z.string(), title: z.string(), ...Behind, ...counts }),
  z.object({ course_id: z.null(), code: z.null(), title: z.null(), ...Behind, ...counts }),
]);

type Figures = Omit<ProgressReport, keyof Period | "as_of" | "per_course_breakdown">;

/** How far people get, in all and in each course of the slice; 404 for an unknown course. */
export async function progressReport(
  db: Db,
  { course_id, ...period }: CoursePeriod,
  { skip, limit }: Window,
): Promise<ProgressReport> {
  const listed = course_id
    ? sql`select id, code, title from courses where id = ${course_id}`
    : sql`select id, code, title from courses order by id offset ${skip} limit ${limit}`;
  const statement = sql`
    with ${uncounted}, listed as (${listed})
    select id as course_id, code, title, ${behindSince},
           ${countsOf("course_people", { course_id: sql`listed.id`, period })}
    from listed
    union all
    select null, null, null, ${behindSince}, ${countsOf("people", { period })}
    where ${!course_id}
    order by course_id`;
  const rows = await rowsOf(db, CountsRow, statement);
  const courses = rows.filter((row) => row.course_id !== null);
  if (course_id && courses.length === 0) throw notFound("Course");
  const total = course_id ? courses[0] : rows.find((row) => row.course_id === null);
  if (!total) throw new Error("a sum has no row");
  return {
    ...period,
    ...asOf(total.behind_since),
    ...figuresOf(total),
    per_course_breakdown: courses.map(({ course_id, code, title, ...row }) => ({
      course_id,
      code,
      title,
      ...figuresOf(row),
    })),
  };
}

/** Enrollments are counted as they stand. The interrupted trees are those that became so less those that went on. */
function countsOf(people: "people" | "course_people", filter: TotalsFilter & { period: Period }): SQL {
  const { course_id, period } = filter;
  const counts: [keyof Counts, SQL][] = [
    ["people", distinctOf(people, filter)],
    ["mastered", sumOf("topics_completed", filter)],
    ["trees_completed", sumOf("trees_completed", filter)],
    ["trees_interrupted", sumOf("trees_interrupted", { course_id, until: period.date_to })],
    ["drops", sumOf("drops", filter)],
    ...statuses.map((status): [typeof status, SQL] => [status, sumOf(status, { course_id })]),
  ];
  const named = counts.map(([name, sum]) => sql`coalesce(${sum}, 0)::int as ${sql.identifier(name)}`);
  return sql.join(named, sql`, `);
}

function figuresOf(counts: Counts): Figures {
  const byStatus = enrollmentStatuses.map(
    (status) => [status.toUpperCase(), counts[`enrollments_${status}`]] as const,
  );
  return {
    average_mastered_topics_per_user: counts.people > 0 ? counts.mastered / counts.people : null,
    course_tree_completion_count: counts.trees_completed,
    course_tree_interruption_count: counts.trees_interrupted,
    total_enrollments: byStatus.reduce((sum, [, number]) => sum + number, 0),
    enrollment_counts_by_status: Object.fromEntries(byStatus) as Figures["enrollment_counts_by_status"],
    drop_off_count: counts.drops,
  };
}
