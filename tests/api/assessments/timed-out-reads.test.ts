import { beforeEach, describe, expect, it } from "vitest";
import { endDueAttempts } from "../../../lib/assessments/grading.ts";
import { openWorld } from "../../support/world.ts";
import { openQuiz } from "./exam.ts";

const world = openWorld();

const began = "2026-03-10T12:00:00.000Z";
const at = (seconds: number) => world.setNow(new Date(Date.parse(began) + seconds * 1000));

beforeEach(() => at(0));

/** A quiz of five points with an attempt whose time is up, and what was saved by then is all right. */
async function openTimedOut() {
  const opened = await openQuiz(world, { time_limit_seconds: 60 });
  const { start, save, right, offering, teacher } = opened;
  const here = `/assessments/offerings/${offering.id}`;
  expect((await world.as(teacher).put(`${here}/grading-scheme`, { release_mode: "AUTOMATIC" })).status).toBe(
    200,
  );
  const { id } = (await start()).body;
  await save(id, right);
  at(100);
  return { ...opened, here, id };
}

type Opened = Awaited<ReturnType<typeof openTimedOut>>;

/** Every read in which the result of an attempt is. */
const reads: Record<string, (opened: Opened) => Promise<unknown>> = {
  "the attempt, by its taker": async ({ read, id }) => (await read(id)).body,
  "the attempt, by staff": async ({ assistant, id }) =>
    (await world.as(assistant).get(`/assessments/attempts/${id}`)).body,
  "the list at the quiz": async ({ assistant, quiz }) =>
    (await world.as(assistant).get(`${quiz}/attempts`)).body,
  "one's own attempts": async ({ learner, offering }) =>
    (await world.as(learner).get(`/assessments/my-attempts?course_offering_id=${offering.id}`)).body,
  "the gradebook": async ({ teacher, here }) => (await world.as(teacher).get(`${here}/gradebook`)).body.rows,
  "the gradebook as CSV": async ({ teacher, here }) =>
    (await world.as(teacher).get(`${here}/gradebook?format=csv`)).text,
  "one's own grades": async ({ learner, here }) => (await world.as(learner).get(`${here}/my-grades`)).body,
  "one's own data": async ({ learner }) =>
    (await world.as(learner).get("/users/me/export")).body.quiz_attempts,
};

describe("an attempt whose time is up", () => {
  it.each(Object.entries(reads))(
    "shows its result before the job has stored it: %s",
    async (_name, readIt) => {
      const opened = await openTimedOut();
      const before = await readIt(opened);
      await endDueAttempts(world.deps, new AbortController().signal);
      expect(before).toEqual(await readIt(opened));
      expect(JSON.stringify(before)).toMatch(/"score(_obtained)?":5\b|,100,A|current_percent":100/);
    },
  );

  it("is settled by no reader who may not read it", async () => {
    const { quiz, learner, id } = await openTimedOut();
    expect((await world.as(learner).get(`${quiz}/attempts`)).status).toBe(403);
    const { rows } = await world.deps.db.execute(
      `select submitted_at from quiz_attempts where id = ${Number(id)}`,
    );
    expect(rows).toEqual([{ submitted_at: null }]);
  });
});
