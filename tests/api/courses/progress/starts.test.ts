import { beforeEach, describe, expect, it } from "vitest";
import { openLab } from "../../../support/lab.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";
import { openQuiz } from "../../assessment/exam.ts";

const world = openWorld();
const make = makersOf(world);

const began = "2026-03-10T12:00:00.000Z";
const at = (minutes: number) => world.setNow(new Date(Date.parse(began) + minutes * 60_000));

beforeEach(() => at(0));

type Person = { id: number };
const progressOf = async (person: Person, kind = "content") =>
  (await world.as(person).get(`/progress/${kind}/my-progress`)).body;

const post = (person: Person, offering: { id: number }, item: { id: number }, progress_percent = 40) =>
  world.as(person).post("/progress/content", {
    content_item_id: item.id,
    course_offering_id: offering.id,
    progress_percent,
  });

describe("a first attempt", () => {
  it("at a quiz begins it and its modules, also one that is failed", async () => {
    const { start, submit, learner, item, module, offering } = await openQuiz(world, { quiz_mode: "exam" });
    expect(await progressOf(learner)).toEqual([]);
    const { id } = (await start()).body;
    const begun = { content_item_id: item.id, course_offering_id: offering.id, first_started_at: began };
    const untouched = { progress_percent: 0, attempts_count: 0, completed_at: null };
    expect(await progressOf(learner)).toMatchObject([{ ...begun, ...untouched, last_interacted_at: began }]);
    expect(await progressOf(learner, "modules")).toMatchObject([
      { module_id: module.id, started_at: began, computed_percent: 0 },
    ]);
    at(5);
    expect((await submit(id)).body.passed).toBe(false);
    expect(await progressOf(learner)).toMatchObject([{ ...begun, ...untouched }]);
  });

  it("that passes keeps its start", async () => {
    const { start, submit, learner, right } = await openQuiz(world);
    const { id } = (await start()).body;
    at(5);
    await submit(id, right);
    const passed = { progress_percent: 100, completed_at: "2026-03-10T12:05:00.000Z" };
    expect(await progressOf(learner)).toMatchObject([{ first_started_at: began, ...passed }]);
  });

  it("is a start once: a later one is the last that was done there", async () => {
    const { start, submit, learner } = await openQuiz(world, { mastery: { max_attempts: 2 } });
    await submit((await start()).body.id);
    at(10);
    await start();
    expect(await progressOf(learner)).toMatchObject([
      { first_started_at: began, last_interacted_at: "2026-03-10T12:10:00.000Z" },
    ]);
  });

  it("of work for a lab or an assignment is handing in", async () => {
    const { submit, learner, lab, paper } = await openLab(world);
    await submit({ body: "one" });
    at(1);
    await submit({ body: "two" }, learner, paper);
    expect(await progressOf(learner)).toMatchObject([
      { content_item_id: lab.id, first_started_at: began, progress_percent: 0, completed_at: null },
      { content_item_id: paper.id, first_started_at: "2026-03-10T12:01:00.000Z", progress_percent: 0 },
    ]);
  });

  it("that is rejected begins nothing", async () => {
    const { start, learner } = await openQuiz(world, { due_at: "2026-03-10T11:00:00.000Z" });
    expect((await start()).status).toBe(400);
    const lab = await openLab(world, { due_at: "2026-03-10T11:00:00.000Z", accepts_late: false });
    expect((await lab.submit({ body: "late" })).status).toBe(400);
    for (const person of [learner, lab.learner]) expect(await progressOf(person)).toEqual([]);
  });
});

describe("reports", () => {
  const figuresOf = (report: { body: Record<string, unknown> }) => {
    const { content_started_count, content_completed_count, completion_rate } = report.body;
    return { content_started_count, content_completed_count, completion_rate };
  };

  it("count failed and ungraded items as begun", async () => {
    const { start, submit, right, course, university, offering, module } = await openQuiz(world, {
      quiz_mode: "exam",
    });
    const [passing, failing] = [await make.person(), await make.person()];
    const paper = await make.contentItem(module, university.id, { type: "assignment" });
    for (const { id } of [passing, failing]) await make.enrollment(id, offering.id);
    await submit((await start(passing)).body.id, right, passing);
    await submit((await start(failing)).body.id, [], failing);
    await world
      .as(failing)
      .post(`/assessments/offerings/${offering.id}/assignments/${paper.id}/submissions`, { body: "x" });
    const figures = { content_started_count: 3, content_completed_count: 1, completion_rate: 1 / 3 };
    const days = "date_from=2026-03-10&date_to=2026-03-10";
    const platform = world.as(await make.holder("platform_admin", university.id));
    const engagement = await platform.get(`/admin/analytics/engagement?${days}&course_id=${course.id}`);
    expect(figuresOf(engagement)).toEqual(figures);
    const admin = world.as(await make.holder("university_admin", university.id));
    expect(figuresOf(await admin.get(`/universities/${university.id}/analytics?${days}`))).toEqual(figures);
  });
});

describe("concurrent requests", () => {
  /** Runs both concurrently, alternating the first. */
  const both = (turn: number, ...asked: [() => Promise<unknown>, () => Promise<unknown>]) =>
    Promise.all((turn % 2 ? asked : asked.toReversed()).map((ask) => ask()));

  it("a first attempt and a post of progress are one start, with the posted progress", async () => {
    const { start, offering, item } = await openQuiz(world);
    for (let turn = 0; turn < 8; turn += 1) {
      const person = await make.person();
      await make.enrollment(person.id, offering.id);
      await both(
        turn,
        () => start(person),
        () => post(person, offering, item),
      );
      expect(await progressOf(person)).toMatchObject([
        { first_started_at: began, progress_percent: 40, attempts_count: 1 },
      ]);
    }
  });

  it("first attempts at one quiz are one start", async () => {
    const { start, learner } = await openQuiz(world);
    const replies = await Promise.all(Array.from({ length: 10 }, () => start()));
    expect(replies.every(({ status }) => status < 300)).toBe(true);
    expect(await progressOf(learner)).toHaveLength(1);
  });

  it("first attempts at quizzes of one module begin the module once", async () => {
    const { start, learner, university, offering, module, pool } = await openQuiz(world);
    const more = { type: "quiz", data_json: { question_pool_id: pool.id } };
    const others = [1, 2, 3].map(() => make.contentItem(module, university.id, more));
    const paths = (await Promise.all(others)).map(
      ({ id }) => `/assessments/offerings/${offering.id}/quizzes/${id}/attempts`,
    );
    const replies = await Promise.all([start(), ...paths.map((path) => world.as(learner).post(path))]);
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(await progressOf(learner)).toHaveLength(4);
    expect(await progressOf(learner, "modules")).toHaveLength(1);
  });

  it("work that is handed in and a post of progress are one start", async () => {
    const { submit, offering, lab } = await openLab(world);
    for (let turn = 0; turn < 8; turn += 1) {
      const person = await make.person();
      await make.enrollment(person.id, offering.id);
      await both(
        turn,
        () => submit({ body: "x" }, person),
        () => post(person, offering, lab),
      );
      expect(await progressOf(person)).toMatchObject([
        { first_started_at: began, progress_percent: 40, completed_at: null },
      ]);
    }
  });

  it("a grade and the next attempt leave a passed item complete", async () => {
    const { start, submit, right, offering } = await openQuiz(world, { mastery: { max_attempts: 2 } });
    for (let turn = 0; turn < 8; turn += 1) {
      const person = await make.person();
      await make.enrollment(person.id, offering.id);
      const { id } = (await start(person)).body;
      await both(
        turn,
        () => submit(id, right, person),
        () => start(person),
      );
      expect(await progressOf(person)).toMatchObject([{ progress_percent: 100, completed_at: began }]);
    }
  });
});
