import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { closeAndGradeDueAttempts } from "../../../../lib/assessment/grade-closed-attempts.ts";
import { rollUpReportData } from "../../../../lib/operations/analytics/roll-up.ts";
import { eraseAccountOf } from "../../../support/erase.ts";
import { liveALife } from "../../../support/life.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

const past = "date_from=2026-01-01&date_to=2026-01-31";
const always = "date_from=2025-12-01&date_to=2027-01-31";

/** A second learner of the offering, because figures of a single person are hidden. */
async function classmateIn(offering: { id: number }, item: { id: number }) {
  const classmate = world.as(await make.person());
  await classmate.post("/enrollments/", { course_offering_id: offering.id });
  const body = { content_item_id: item.id, course_offering_id: offering.id, progress_percent: 100 };
  await classmate.post("/progress/content", body);
}

/** Backdates current rows into January, to split a life between two periods. */
async function liveBefore(person: number) {
  const moved = [
    ["activity_events", "occurred_at"],
    ["enrollments", "enrolled_at"],
    ["quiz_attempts", "submitted_at"],
    ["lab_submissions", "submitted_at"],
    ["certificates", "issued_at"],
    ["notes", "created_at"],
    ["chat_sessions", "created_at"],
    ["user_content_progress", "first_started_at"],
  ] as const;
  for (const [table, column] of moved)
    await world.deps.db.execute(sql`
      update ${sql.identifier(table)} set ${sql.identifier(column)} = timestamptz '2026-01-20 10:00Z'
      where user_id = ${person} and id in (
        select id from ${sql.identifier(table)} where user_id = ${person} order by id limit 3)`);
}

type Life = Awaited<ReturnType<typeof liveALife>>;

async function everyReport({ university, offering, course }: Life, range: string) {
  const department = await departmentOf(course.id);
  const admin = world.as(await adminOf(university.id));
  const paths = [
    ...["overview", "engagement", "progress", "assessments", "community", "cache", "tutor"].map(
      (name) => `/admin/analytics/${name}?${range}`,
    ),
    ...["engagement", "progress", "assessments", "tutor"].map(
      (name) => `/admin/analytics/${name}?${range}&course_id=${course.id}`,
    ),
    `/admin/analytics/tutor?${range}&university_id=${university.id}`,
    ...["", `&department_id=${department}`, `&offering_id=${offering.id}`].map(
      (part) => `/universities/${university.id}/analytics?${range}${part}`,
    ),
    `/courses/${course.id}/stats`,
    `/community/courses/${course.id}/reviews?limit=1`,
  ];
  const reports: Record<string, unknown> = {};
  for (const path of paths) {
    const { status, body } = await admin.get(path);
    expect(status, path).toBe(200);
    // The number of stored answers and reviews are not sums.
    const { total_cached_nodes: _, reviews: __, ...sums } = body;
    reports[path] = sums;
  }
  return reports;
}

const admins = new Map<number, { id: number }>();
async function adminOf(university: number) {
  const known = admins.get(university) ?? (await make.holder("platform_admin", university));
  admins.set(university, known);
  return known;
}

async function departmentOf(course: number): Promise<number> {
  const { rows } = await world.deps.db.execute(sql`select department_id from courses where id = ${course}`);
  return (rows as { department_id: number }[])[0]?.department_id ?? 0;
}

async function lifeInDepartment() {
  const life = await liveALife(world, "of every report");
  const department = await make.department(life.university.id);
  await world.deps.db.execute(
    sql`update courses set department_id = ${department.id} where id = ${life.course.id}`,
  );
  await classmateIn(life.offering, life.item);
  const topic = { id: life.item.module_id, course_id: life.course.id };
  for (const type of ["engineering_lab", "assignment"]) {
    const work = await make.contentItem(topic, life.university.id, { type });
    await world.deps.db.execute(sql`
      insert into lab_submissions (user_id, course_offering_id, content_item_id, attempt_number, status, score_obtained, max_score)
      values (${life.id}, ${life.offering.id}, ${work.id}, 1, 'graded', 3, 4),
             (${life.id}, ${life.offering.id}, ${work.id}, 2, 'submitted', null, null)`);
  }
  await liveBefore(life.id);
  return life;
}

it("an erasure changes no report of the past or of today, at any level", async () => {
  const life = await lifeInDepartment();
  const [before, printed] = [await everyReport(life, always), await everyReport(life, past)];
  const active = before[`/universities/${life.university.id}/analytics?${always}`] as Record<string, unknown>;
  expect(active).toMatchObject({ active_users: 2, certificate_issue_count: 1, quiz_attempt_count: 1 });
  expect(await eraseAccountOf(world, life, { password: life.password })).toBe(204);
  expect(await everyReport(life, always)).toEqual(before);
  expect(await everyReport(life, past)).toEqual(printed);
});

it("nor do the schedule's counts change one afterwards", async () => {
  const life = await lifeInDepartment();
  await rollUpReportData(world.deps.db);
  const printed = await everyReport(life, past);
  expect(await eraseAccountOf(world, life, { password: life.password, keep_certificates: true })).toBe(204);
  expect(await everyReport(life, past)).toEqual(printed);
  world.setNow("2026-03-14T12:00:00Z");
  await closeAndGradeDueAttempts({ db: world.deps.db, now: world.deps.now }, new AbortController().signal);
  await rollUpReportData(world.deps.db);
  const later = await everyReport(life, past);
  // Streaks depend on the current time.
  const withoutStreaks = (reports: Record<string, unknown>) =>
    Object.fromEntries(
      Object.entries(reports).map(([path, report]) => {
        const { streak_distribution: _, ...rest } = report as Record<string, unknown>;
        return [path, rest];
      }),
    );
  expect(withoutStreaks(later)).toEqual(withoutStreaks(printed));
});
