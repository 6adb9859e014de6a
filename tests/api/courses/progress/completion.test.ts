import { expect, it } from "vitest";
import { courseGrades } from "../../../../schema/db/assessment/grades.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);
const now = "2026-03-10T12:00:00.000Z";
const enrolled = { enrolled_at: "2026-03-01T08:00:00Z" };

/** A learner in a course of one unit with a topic of two texts, and their posts. */
async function studying(overrides: Parameters<typeof make.offering>[1] = {}) {
  const { university, course, module, item } = await make.topic();
  const offering = await make.offering(course, overrides);
  const topic = await make.module(course.id, { parent_module_id: module.id, depth: 1 });
  const items = [item, await make.contentItem(topic, university.id)] as const;
  const learner = await make.person();
  const enrollment = await make.enrollment(learner.id, offering.id, "ACTIVE", enrolled);
  const post = (content_item_id: number, progress_percent: number, more: object = {}) =>
    world.as(learner).post("/progress/content", {
      content_item_id,
      course_offering_id: offering.id,
      progress_percent,
      ...more,
    });
  const standing = async () => (await world.as(learner).get(`/enrollments/${enrollment.id}`)).body;
  const modules = async () =>
    (await world.as(learner).get("/progress/modules/my-progress")).body.map(
      ({ module_id, computed_percent }: Record<string, number>) => [module_id, computed_percent],
    );
  const admin = world.as(await make.holder("platform_admin", university.id));
  const trees = async () => {
    const { body } = await admin.get(
      `/admin/analytics/progress?course_id=${course.id}&date_from=2026-02-01&date_to=2026-12-31`,
    );
    return body;
  };
  return { university, course, offering, module, topic, items, learner, post, standing, modules, trees };
}

it("items at 100 make their modules, the course and the enrollment complete", async () => {
  const { items, module, topic, post, standing, modules, trees } = await studying();
  await post(items[1].id, 50);
  expect(await modules()).toEqual([
    [module.id, 25],
    [topic.id, 50],
  ]);
  expect(await standing()).toMatchObject({ status: "ACTIVE", progress_percent: 25 });
  for (const item of items) await post(item.id, 100);
  expect(await modules()).toEqual([
    [module.id, 100],
    [topic.id, 100],
  ]);
  expect(await standing()).toMatchObject({
    status: "COMPLETED",
    completion_source: "RESULT",
    completed_at: now,
    progress_percent: 100,
  });
  expect(await trees()).toMatchObject({
    course_tree_completion_count: 1,
    enrollment_counts_by_status: { COMPLETED: 1 },
  });
});

it("percents that are posted of modules complete no tree and no enrollment", async () => {
  const { offering, learner, module, topic, standing, trees } = await studying();
  for (const module_id of [module.id, topic.id]) {
    const posted = { module_id, course_offering_id: offering.id, progress_percent: 100 };
    const { body } = await world.as(learner).post("/progress/modules", posted);
    expect(body).toMatchObject({ progress_percent: 100, completed_at: now, computed_percent: 0 });
  }
  expect(await standing()).toMatchObject({ status: "ACTIVE", progress_percent: 0 });
  expect((await trees()).course_tree_completion_count).toBe(0);
});

it("published content below unpublished content counts nowhere", async () => {
  const { university, course, items, post, standing, trees } = await studying();
  const hidden = await make.module(course.id, { is_published: false });
  const below = await make.module(course.id, { parent_module_id: hidden.id, depth: 1 });
  await make.contentItem(below, university.id);
  for (const item of items) await post(item.id, 100);
  expect(await standing()).toMatchObject({ status: "COMPLETED", progress_percent: 100 });
  expect((await trees()).course_tree_completion_count).toBe(1);
});

it("a completion time is neither in the future nor before the enrollment", async () => {
  const { items, offering, learner, module, post } = await studying();
  for (const [completed_at, msg] of [
    ["1999-01-01T00:00:00Z", "Input should not be before the enrollment"],
    ["2026-03-01T07:59:59Z", "Input should not be before the enrollment"],
    ["2026-03-10T12:00:00.001Z", "Input should not be in the future"],
    ["2030-01-01T00:00:00Z", "Input should not be in the future"],
  ] as const) {
    const replies = [
      await post(items[0].id, 100, { completed_at }),
      await world.as(learner).post("/progress/modules", {
        module_id: module.id,
        course_offering_id: offering.id,
        progress_percent: 9,
        completed_at,
      }),
    ];
    for (const { status, body } of replies) {
      expect(status).toBe(422);
      expect(body.detail).toEqual([{ loc: ["body", "completed_at"], msg, type: "value_error" }]);
    }
  }
  for (const completed_at of [now, "2026-03-01T08:00:00Z"])
    expect((await post(items[0].id, 100, { completed_at })).status).toBe(200);
});

it("progress needs a seat, and a self-reported completion gives none", async () => {
  const { offering, items } = await studying();
  const person = await make.person();
  const enrollment = await make.enrollment(person.id, offering.id, "WAITLISTED", enrolled);
  const put = (status: string) => world.as(person).put(`/enrollments/${enrollment.id}`, { status });
  const post = () =>
    world.as(person).post("/progress/content", {
      content_item_id: items[0].id,
      course_offering_id: offering.id,
      progress_percent: 10,
    });
  for (const status of [undefined, "DROPPED", "COMPLETED", "PENDING"]) {
    if (status) await put(status);
    expect([(await post()).status, (await post()).body.detail], status).toEqual([
      403,
      "Not enrolled in this offering",
    ]);
  }
  for (const status of ["ACTIVE", "COMPLETED"]) {
    await put(status);
    expect((await post()).status, status).toBe(200);
  }
});

it("concurrent last items complete an enrollment once, and admit one person", async () => {
  const { course, university, offering, items, topic, learner, standing } = await studying({ capacity: 1 });
  const more = [];
  for (let made = 0; made < 4; made++) more.push((await make.contentItem(topic, university.id)).id);
  const waiting = [await make.person(), await make.person()] as const;
  for (const one of waiting) await make.enrollment(one.id, offering.id, "WAITLISTED", enrolled);
  const ids = [...items.map(({ id }) => id), ...more];
  const posts = ids.map((content_item_id) =>
    world
      .as(learner)
      .post("/progress/content", { content_item_id, course_offering_id: offering.id, progress_percent: 100 }),
  );
  expect((await Promise.all(posts)).map(({ status }) => status)).toEqual(ids.map(() => 200));
  expect(await standing()).toMatchObject({ status: "COMPLETED", completion_source: "RESULT" });
  const staff = world.as(await make.holder("ta", university.id));
  const roster = await staff.get(`/courses/${course.id}/offerings/${offering.id}/enrollments?status=ACTIVE`);
  expect(roster.body).toMatchObject([{ user_id: waiting[0].id }]);
});

it("an enrollment that is dropped while its last item is completed is one of the two, and no 500", async () => {
  for (let round = 0; round < 4; round++) {
    const { items, learner, post, standing } = await studying();
    await post(items[0].id, 100);
    const { id } = await standing();
    const [posted, dropped] = await Promise.all([
      post(items[1].id, 100),
      world.as(learner).put(`/enrollments/${id}`, { status: "DROPPED" }),
    ]);
    expect([200, 403]).toContain(posted.status);
    expect(dropped.status).toBe(200);
    expect(["DROPPED", "COMPLETED"]).toContain((await standing()).status);
  }
});

it("a quiz is complete by its result alone, and a graded course by a grade that is final and passed", async () => {
  const { university, offering, items, topic, learner, post, standing } = await studying();
  const quiz = await make.contentItem(topic, university.id, { type: "quiz" });
  for (const { id } of [...items, quiz]) await post(id, 100);
  const mine = (await world.as(learner).get("/progress/content/my-progress")).body;
  expect(mine.at(-1)).toMatchObject({ content_item_id: quiz.id, progress_percent: 100, completed_at: null });
  expect(await standing()).toMatchObject({ status: "ACTIVE", progress_percent: 66.66 });

  const grade = { user_id: learner.id, course_offering_id: offering.id, passed: true, final_score: 80 };
  await world.deps.db.insert(courseGrades).values(grade);
  await world.deps.db.execute(
    `insert into quiz_attempts (user_id, course_offering_id, content_item_id, submitted_at, passed)
     values (${learner.id}, ${offering.id}, ${quiz.id}, '2026-03-10T12:00:00Z', true)`,
  );
  expect(await standing()).toMatchObject({ status: "ACTIVE", progress_percent: 100 });
  await world.deps.db.update(courseGrades).set({ graded_at: now });
  expect(await standing()).toMatchObject({ status: "COMPLETED", completion_source: "RESULT" });
});
