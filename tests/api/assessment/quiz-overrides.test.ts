import { beforeEach, expect, it } from "vitest";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";
import { openQuiz } from "./exam.ts";

const world = openWorld();
const make = makersOf(world);

const at = (moment: string) => world.setNow(`2026-03-10T${moment}Z`);

beforeEach(() => at("12:00:00"));

const exam = {
  quiz_mode: "exam",
  time_limit_seconds: 60,
  due_at: "2026-03-10T13:00:00Z",
  mastery: { max_attempts: 1 },
};

it("one learner gets more time, attempts and another date, and no other learner does", async () => {
  const { start, submit, quiz, learner, assistant, offering } = await openQuiz(world, exam);
  const other = await make.person();
  await make.enrollment(other.id, offering.id);
  const path = `${quiz}/overrides/${learner.id}`;
  const granted = await world
    .as(assistant)
    .put(path, { time_limit_seconds: 90, max_attempts: 2, due_at: "2026-03-10T14:00:00Z" });
  expect(granted.body).toMatchObject({ user_id: learner.id, time_limit_seconds: 90, max_attempts: 2 });
  expect((await world.as(assistant).get(`${quiz}/overrides`)).body).toEqual([granted.body]);

  const first = (await start()).body;
  expect(first.due_at).toBe("2026-03-10T12:01:30.000Z");
  await submit(first.id);
  at("13:30:00");
  expect((await start()).status).toBe(201);
  expect((await start(other)).body.detail).toBe("The quiz is closed");
  const partly = await world.as(assistant).put(path, { due_at: null });
  expect(partly.body).toMatchObject({ time_limit_seconds: 90, due_at: null });
});

it("a learner gets a separate opening date, and no due date", async () => {
  const opened = await openQuiz(world, { ...exam, time_limit_seconds: 7200 });
  const { start, read, quiz, learner, teacher, course, offering, item } = opened;
  const grant = (change: object) => world.as(teacher).put(`${quiz}/overrides/${learner.id}`, change);
  const other = await make.person();
  await make.enrollment(other.id, offering.id);
  await world.as(teacher).put(`/courses/${course.id}/offerings/${offering.id}/dates`, {
    dates: [
      {
        content_item_id: item.id,
        ...{ available_from: "2026-03-10T12:30:00Z", due_at: "2026-03-10T13:00:00Z" },
      },
    ],
  });
  expect((await start()).status).toBe(403);
  const early = await grant({ available_from: "2026-03-10T11:00:00Z" });
  expect(early.body).toMatchObject({ available_from: "2026-03-10T11:00:00.000Z", no_due_date: false });
  const { id, due_at } = (await start()).body;
  expect(due_at).toBe("2026-03-10T13:00:00.000Z");
  expect((await start(other)).status).toBe(403);
  expect((await world.as(learner).get(`/content/${item.id}`)).status).toBe(200);

  const none = await grant({ no_due_date: true });
  expect(none.body).toMatchObject({ due_at: null, no_due_date: true });
  expect((await world.as(teacher).get(`${quiz}/overrides`)).body).toEqual([none.body]);
  expect((await read(id)).body.due_at).toBe("2026-03-10T14:00:00.000Z");
  // Omitting a field keeps it; a date or null resets it.
  expect((await grant({ max_attempts: 2, no_due_date: false })).body.no_due_date).toBe(true);
  expect((await grant({ due_at: null })).body).toMatchObject({ due_at: null, no_due_date: false });
});

it("an open attempt gets the granted deadline, a closed one does not", async () => {
  const { start, read, save, right, quiz, learner, assistant } = await openQuiz(world, exam);
  const { id } = (await start()).body;
  const grant = (time_limit_seconds: number) =>
    world.as(assistant).put(`${quiz}/overrides/${learner.id}`, { time_limit_seconds });
  at("12:00:59");
  await grant(120);
  expect((await read(id)).body.due_at).toBe("2026-03-10T12:02:00.000Z");
  at("12:02:00");
  expect((await save(id, right)).status).toBe(200);
  at("12:02:06");
  await grant(3600);
  expect((await read(id)).body).toMatchObject({ due_at: "2026-03-10T12:02:00.000Z", timed_out: true });
});

it("takes staff of the course, and a learner of the offering", async () => {
  const { quiz, learner, assistant } = await openQuiz(world, exam);
  expect((await world.as(learner).put(`${quiz}/overrides/${learner.id}`, {})).status).toBe(403);
  const stranger = await make.person();
  expect((await world.as(assistant).put(`${quiz}/overrides/${stranger.id}`, {})).status).toBe(404);
});
