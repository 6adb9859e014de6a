import { eq } from "drizzle-orm";
import { beforeEach, expect, it } from "vitest";
import { contentItems } from "../../../schema/db/courses/content-items.ts";
import { enrollments } from "../../../schema/db/courses/enrollments.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";
import { openQuiz } from "./exam.ts";

const world = openWorld();
const make = makersOf(world);

const at = (moment: string) => world.setNow(`2026-03-10T${moment}Z`);

beforeEach(() => at("12:00:00"));

it("a quiz shows the caller's attempts, time and dates, from its settings and their accommodations", async () => {
  const data = {
    ...{ quiz_mode: "exam", time_limit_seconds: 600, passing_percent: 75 },
    ...{ mastery: { max_attempts: 2 }, due_at: "2026-03-10T13:00:00.000Z" },
  };
  const { quiz, learner, teacher, start, submit, item, offering } = await openQuiz(world, data);
  const read = async () => (await world.as(learner).get(quiz)).body;
  const before = {
    ...{ course_offering_id: offering.id, content_item_id: item.id, is_exam: true, passing_percent: 75 },
    ...{ time_limit_seconds: 600, closes_at: "2026-03-10T13:00:00.000Z", max_attempts: 2 },
    ...{ attempts_taken: 0, open_attempt_id: null, unavailable: null },
  };
  expect(await read()).toEqual(before);
  const granted = { max_attempts: 1, time_limit_seconds: 900, due_at: "2026-03-10T14:00:00.000Z" };
  const overrides = `${quiz}/overrides/${learner.id}`;
  await world.as(teacher).put(overrides, granted);
  const ofOwn = { max_attempts: 1, time_limit_seconds: 900, closes_at: granted.due_at };
  expect(await read()).toEqual({ ...before, ...ofOwn });
  const { id } = (await start()).body;
  expect(await read()).toEqual({ ...before, ...ofOwn, attempts_taken: 1, open_attempt_id: id });
  await submit(id);
  const spent = { ...before, ...ofOwn, attempts_taken: 1 };
  expect(await read()).toEqual({ ...spent, unavailable: "NO_ATTEMPT_LEFT" });
  await world.as(teacher).put(overrides, { max_attempts: 2 });
  expect(await read()).toEqual({ ...spent, max_attempts: 2 });
  at("14:00:00");
  expect(await read()).toEqual({ ...spent, max_attempts: 2, unavailable: "CLOSED" });
});

it("a quiz reports missing limits, missing questions, and an attempt whose time is up", async () => {
  const { quiz, learner, start, pool, item } = await openQuiz(world, { time_limit_seconds: 60 });
  const read = async () => (await world.as(learner).get(quiz)).body;
  expect(await read()).toMatchObject({
    is_exam: false,
    max_attempts: null,
    closes_at: null,
    unavailable: null,
  });
  await start();
  at("12:01:06");
  expect(await read()).toMatchObject({ attempts_taken: 1, open_attempt_id: null, unavailable: null });
  await world.deps.db
    .update(contentItems)
    .set({ data_json: { question_pool_id: pool.id + 1_000_000 } })
    .where(eq(contentItems.id, item.id));
  expect(await read()).toMatchObject({ time_limit_seconds: null, unavailable: "NO_QUESTIONS" });
});

it("a quiz shows nothing to callers who could not start it", async () => {
  const { quiz, learner, teacher, module, university, offering, item } = await openQuiz(world);
  const reply = async (person: typeof learner, path = quiz) => {
    const { status, body } = await world.as(person).get(path);
    return [status, body.detail];
  };
  expect(await reply(teacher)).toEqual([403, "Not enrolled in this offering"]);
  expect(await reply(await make.person())).toEqual([403, "Not enrolled in this offering"]);
  const text = await make.contentItem(module, university.id);
  const ofText = `/assessments/offerings/${offering.id}/quizzes/${text.id}`;
  expect(await reply(learner, ofText)).toEqual([404, "Quiz not found"]);
  await world.deps.db
    .update(contentItems)
    .set({ available_from: "2026-03-11T12:00:00.000Z" })
    .where(eq(contentItems.id, item.id));
  expect(await reply(learner)).toEqual([403, "Not available yet"]);
  await world.deps.db.update(contentItems).set({ is_active: false }).where(eq(contentItems.id, item.id));
  expect(await reply(learner)).toEqual([404, "Quiz not found"]);
  await world.deps.db
    .update(enrollments)
    .set({ status: "DROPPED" })
    .where(eq(enrollments.course_offering_id, offering.id));
  expect((await reply(learner))[0]).toBe(404);
});
