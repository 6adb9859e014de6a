import { and, eq, sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { quizAttempts } from "../../../../schema/db/assessment/quiz-attempts.ts";
import { enrollments } from "../../../../schema/db/courses/enrollments.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

let topic: Awaited<ReturnType<typeof make.topic>>;
let department: { id: number };
let other: { course: { id: number }; offering: { id: number } };
let admin: { id: number };

beforeAll(async () => {
  topic = await make.topic();
  const { university, offering, item } = topic;
  admin = await make.holder("university_admin", university.id);
  department = await make.department(university.id);
  const course = await make.course(university.id, { department_id: department.id });
  other = { course, offering: await make.offering(course) };
  const extra = await make.contentItem(await make.module(course.id), university.id);
  const [ann, ben] = [await make.person(), await make.person()];
  world.setNow("2026-03-01T10:00:00.000Z");
  for (const id of [ann.id, ben.id]) await make.enrollment(id, offering.id);
  await make.enrollment(ann.id, other.offering.id);
  await make.enrollment((await make.person()).id, other.offering.id, "DROPPED");
  const post = (person: { id: number }, one: { id: number }, at: { id: number }, percent: number) =>
    world.as(person).post("/progress/content", {
      content_item_id: one.id,
      course_offering_id: at.id,
      progress_percent: percent,
    });
  world.setNow("2099-03-02T10:00:00.000Z");
  await post(ann, item, offering, 50);
  await post(ben, item, offering, 50);
  world.setNow("2099-03-05T10:00:00.000Z");
  await post(ann, item, offering, 100);
  await post(ann, extra, other.offering, 30);
  const attempt = { user_id: ann.id, course_offering_id: offering.id, content_item_id: item.id };
  const results = [true, false].map((passed, at) => ({ ...attempt, passed, attempt_number: at + 1 }));
  const submitted_at = "2099-03-05T10:00:00.000Z";
  await world.deps.db.insert(quizAttempts).values(results.map((result) => ({ ...result, submitted_at })));
  await world.deps.db
    .update(enrollments)
    .set({ status: "COMPLETED", completed_at: submitted_at })
    .where(and(eq(enrollments.user_id, ann.id), eq(enrollments.course_offering_id, other.offering.id)));
  const elsewhere = await make.topic();
  await make.enrollment(ben.id, elsewhere.offering.id);
  await post(ben, elsewhere.item, elsewhere.offering, 100);
});

const period = "date_from=2099-03-01&date_to=2099-03-05";
const path = () => `/universities/${topic.university.id}/analytics`;
const reportOf = async (query = "") => (await world.as(admin).get(`${path()}?${period}${query}`)).body;

describe("a university's analytics", () => {
  it("count the university's activity and no other, people once", async () => {
    expect(await reportOf()).toMatchObject({
      university_id: topic.university.id,
      department_id: null,
      date_from: "2099-03-01",
      active_users: 2,
      weekly_active_users: 2,
      monthly_active_users: 2,
      total_enrollments: 4,
      enrollment_counts_by_status: { ACTIVE: 1, COMPLETED: 2, DROPPED: 1, PENDING: 0, WAITLISTED: 0 },
      completed_enrollment_count: 2,
      quiz_attempt_count: 2,
      quiz_pass_count: 1,
      content_started_count: 3,
      content_completed_count: 1,
      completion_rate: 1 / 3,
      daily_active_users: [
        { date: "2099-03-01", count: 0 },
        { date: "2099-03-02", count: 2 },
        { date: "2099-03-03", count: 0 },
        { date: "2099-03-04", count: 0 },
        { date: "2099-03-05", count: 1 },
      ],
    });
  });

  it("are broken down by course, in windows", async () => {
    const { per_course_breakdown } = await reportOf();
    expect(per_course_breakdown).toMatchObject([
      { course_id: topic.course.id, code: topic.course.code, active_users: 2, quiz_attempt_count: 2 },
      { course_id: other.course.id, active_users: 1, content_started_count: 1, certificate_issue_count: 1 },
    ]);
    expect((await reportOf("&skip=1&limit=1")).per_course_breakdown).toMatchObject([
      { course_id: other.course.id },
    ]);
  });

  it("count its own days from the first after it had its zone, say since when, and end with its today", async () => {
    expect((await reportOf()).time_zone_from).toBe(null);
    world.setNow("2099-06-30T16:00:00.000Z");
    const { id } = await make.university({ time_zone: "Asia/Tokyo" });
    const own = await make.holder("university_admin", id);
    const { rows } = await world.deps.db.execute<{ from_day: string }>(
      sql`select max(from_day)::text as from_day from university_time_zones where university_id = ${id}`,
    );
    const from_day = rows[0]?.from_day;
    const { body } = await world.as(own).get(`/universities/${id}/analytics`);
    expect(body).toMatchObject({ date_from: "2099-06-02", date_to: "2099-07-01", time_zone_from: from_day });
    const csv = await world.as(own).get(`/universities/${id}/analytics?format=csv`);
    expect(csv.text).toContain(`time_zone_from,,${from_day}\r\n`);
  });

  it("are those of a department, or of an offering", async () => {
    const figures = { active_users: 1, total_enrollments: 2, content_started_count: 1, completion_rate: 0 };
    expect(await reportOf(`&department_id=${department.id}`)).toMatchObject({
      department_id: department.id,
      ...figures,
    });
    expect(await reportOf(`&offering_id=${other.offering.id}`)).toMatchObject({
      offering_id: other.offering.id,
      ...figures,
    });
  });

  it("are zeros without data, and a CSV on request", async () => {
    const empty = await world.as(admin).get(`${path()}?date_from=2098-01-01&date_to=2098-01-02`);
    expect(empty.body).toMatchObject({ active_users: 0, content_started_count: 0, completion_rate: null });
    const csv = await world.as(admin).get(`${path()}?${period}&format=csv`);
    expect(csv.text).toContain("daily_active_users,2099-03-02,2\r\n");
  });

  it("are for the university's administrators, and a department's own for its, and of nothing that is another's", async () => {
    const stranger = await make.holder("university_admin", (await make.university()).id);
    const teacher = await make.holder("instructor", topic.university.id);
    const head = await make.holder("university_admin", topic.university.id, department.id);
    for (const person of [stranger, teacher, head, await make.person()])
      expect((await world.as(person).get(path())).status).toBe(403);
    expect((await world.as().get(path())).status).toBe(401);
    // Only the department's administrators are notified.
    const heads = [head, await make.holder("department_admin", topic.university.id, department.id)];
    const another = await make.department(topic.university.id);
    for (const person of heads) {
      const status = async (query: string) => (await world.as(person).get(`${path()}?${query}`)).status;
      const own = `department_id=${department.id}`;
      expect((await world.as(person).get(`${path()}?${period}&${own}`)).body).toMatchObject({
        active_users: 1,
        total_enrollments: 2,
        per_course_breakdown: [{ course_id: other.course.id }],
      });
      const csv = await world.as(person).get(`${path()}?${period}&${own}&format=csv`);
      expect(csv.text).toContain("daily_active_users,2099-03-05,1\r\n");
      expect(await status(`${own}&offering_id=${other.offering.id}`)).toBe(200);
      expect(await status(`${own}&offering_id=${topic.offering.id}`)).toBe(404);
      expect(await status("")).toBe(403);
      expect(await status(`offering_id=${other.offering.id}`)).toBe(403);
      expect(await status(`department_id=${another.id}`)).toBe(403);
      const elsewhere = await make.university();
      const foreign = await world.as(person).get(`/universities/${elsewhere.id}/analytics?${own}`);
      expect(foreign.status).toBe(403);
    }
    const foreign = await make.topic();
    const theirs = await make.department(foreign.university.id);
    const asked = async (query: string) => (await world.as(admin).get(`${path()}?${query}`)).status;
    expect(await asked(`offering_id=${foreign.offering.id}`)).toBe(404);
    expect(await asked(`department_id=${theirs.id}`)).toBe(404);
    expect(await asked("date_from=9999-12-31&date_to=9999-12-31")).toBe(200);
    expect(await asked("date_from=1970-01-01&date_to=9999-12-31")).toBe(200);
    expect(await asked("course=1")).toBe(422);
    expect(await asked("date_from=2026-02-02&date_to=2026-02-01")).toBe(422);
    const platform = await make.holder("platform_admin", foreign.university.id);
    expect((await world.as(platform).get("/universities/2147483647/analytics")).status).toBe(404);
  });
});
