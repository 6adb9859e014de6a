import { expect, it } from "vitest";
import { courseSubjects } from "../../../../schema/db/courses/courses.ts";
import { subjects } from "../../../../schema/db/courses/subjects.ts";
import { userSubjectPreferences } from "../../../../schema/db/identity/profiles.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

type Course = { id: number };

const overviewOf = async (person: { id: number }) => (await world.as(person).get("/users/me/overview")).body;

async function subject(): Promise<number> {
  const values = { name: make.unique("Subject"), code: make.unique("S") };
  const [row] = await world.deps.db.insert(subjects).values(values).returning();
  return row?.id ?? 0;
}

it("a new person has an empty overview", async () => {
  const overview = await overviewOf(await make.person());
  expect(overview).toMatchObject({
    active_enrollments: [],
    recent_activity: [],
    stats: { completed_courses: 0, current_streak: 0 },
  });
  expect((await world.as().get("/users/me/overview")).status).toBe(401);
});

it("active enrollments have the form of the caller's enrollments, newest first", async () => {
  const learner = await make.person();
  const [first, second] = [await make.topic(), await make.topic()];
  const older = await make.enrollment(learner.id, first.offering.id);
  const newer = await make.enrollment(learner.id, second.offering.id);
  await make.enrollment(learner.id, (await make.topic()).offering.id, "WAITLISTED");
  const { active_enrollments } = await overviewOf(learner);
  expect(active_enrollments.map(({ id }: { id: number }) => id)).toEqual([newer.id, older.id]);
  expect(active_enrollments[1]).toMatchObject({
    user_id: learner.id,
    course_offering_id: first.offering.id,
    status: "ACTIVE",
    enrolled_at: older.enrolled_at,
    course_offering: {
      term_name: first.offering.term_name,
      course: { title: first.course.title, code: first.course.code },
    },
  });
});

it("recommends five courses: of liked subjects, then of current ones, then popular ones", async () => {
  const { db } = world.deps;
  const learner = await make.person();
  const { university, course: own, offering } = await make.topic();
  await make.enrollment(learner.id, offering.id, "DROPPED");
  const [liked, learned] = [await subject(), await subject()];
  await db.insert(userSubjectPreferences).values({ user_id: learner.id, subject_id: liked });
  await db.insert(courseSubjects).values({ course_id: own.id, subject_id: learned });

  const popular = await make.course(university.id);
  for (const _ of [1, 2, 3]) {
    const taken = await make.offering(popular);
    for (const __ of [1, 2]) await make.enrollment((await make.person()).id, taken.id);
  }
  const plain = await make.course(university.id);
  await make.enrollment((await make.person()).id, (await make.offering(plain)).id);
  const familiar = await make.course(university.id);
  await db.insert(courseSubjects).values({ course_id: familiar.id, subject_id: learned });
  const preferred = await make.course(university.id, { primary_subject_id: liked });
  await make.course(university.id, { primary_subject_id: liked, is_published: false });

  const { recommended_courses } = await overviewOf(learner);
  const ids = recommended_courses.map(({ id }: Course) => id);
  expect(ids.slice(0, 3)).toEqual([preferred.id, familiar.id, popular.id]);
  expect(ids).toHaveLength(5);
  expect(ids).not.toContain(own.id);
  expect(recommended_courses[0]).toMatchObject({ title: preferred.title, level: "UNDERGRADUATE" });
});

it("recent activity is the last ten things done, newest first, by name", async () => {
  const learner = await make.person();
  const { offering, module, item } = await make.topic();
  await make.enrollment(learner.id, offering.id);
  const course_offering_id = offering.id;
  for (let minute = 10; minute < 22; minute += 1) {
    world.setNow(`2026-03-10T12:${minute}:00.000Z`);
    const content_item_id = item.id;
    await world
      .as(learner)
      .post("/progress/content", { content_item_id, course_offering_id, progress_percent: 5 });
  }
  world.setNow("2026-03-10T12:30:00.000Z");
  const done = { module_id: module.id, course_offering_id, progress_percent: 100 };
  await world.as(learner).post("/progress/modules", done);

  const { recent_activity, stats } = await overviewOf(learner);
  expect(recent_activity).toHaveLength(10);
  expect(recent_activity[0]).toEqual({
    type: "COMPLETED",
    title: module.title,
    content_item_id: null,
    course_offering_id,
    occurred_at: "2026-03-10T12:30:00.000Z",
  });
  expect(recent_activity[1]).toMatchObject({
    type: "PROGRESSED",
    title: item.title,
    content_item_id: item.id,
  });
  expect(recent_activity.at(-1).occurred_at).toBe("2026-03-10T12:13:00.000Z");
  expect(stats.current_streak).toBe(1);
});

it("a course that was completed twice counts once", async () => {
  const learner = await make.person();
  const { course, offering } = await make.topic();
  await make.enrollment(learner.id, offering.id, "COMPLETED");
  await make.enrollment(learner.id, (await make.offering(course)).id, "COMPLETED");
  expect((await overviewOf(learner)).stats.completed_courses).toBe(1);
});

it("shows at most a page of active enrollments", async () => {
  const learner = await make.person();
  const { course } = await make.topic();
  const ids: number[] = [];
  for (let time = 0; time < 103; time += 1)
    ids.push((await make.enrollment(learner.id, (await make.offering(course)).id)).id);
  const { active_enrollments } = await overviewOf(learner);
  const listed = (await world.as(learner).get("/enrollments/my-enrollments")).body;
  expect(active_enrollments.map(({ id }: { id: number }) => id)).toEqual(
    listed.map(({ id }: { id: number }) => id),
  );
  expect(active_enrollments).toHaveLength(100);
});
