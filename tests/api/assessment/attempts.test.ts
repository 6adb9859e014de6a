import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { activityEvents } from "../../../schema/db/courses/activity.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";
import { openQuiz } from "./exam.ts";

const world = openWorld();
const make = makersOf(world);

const began = "2026-03-10T12:00:00.000Z";
const at = (seconds: number) => world.setNow(new Date(Date.parse(began) + seconds * 1000));

beforeEach(() => at(0));

describe("an attempt", () => {
  it("is started once, and then answered again until it is submitted", async () => {
    const { start, submit, item, offering, learner } = await openQuiz(world);
    const first = await start();
    expect(first.status).toBe(201);
    expect(first.body).toMatchObject({
      ...{ user_id: learner.id, content_item_id: item.id, course_offering_id: offering.id },
      ...{ attempt_number: 1, is_exam: false, started_at: began, due_at: null, submitted_at: null },
      ...{ score_obtained: null, max_score: 5, passed: null, answers_shown: false },
    });
    expect(first.body.questions.map((one: { result: unknown }) => one.result)).toEqual(Array(5).fill(null));
    const again = await start();
    expect([again.status, again.body]).toEqual([200, first.body]);
    await submit(first.body.id);
    expect((await start()).body).toMatchObject({ attempt_number: 2 });
  });

  it("is graded on the server, from saved answers and those of the submission", async () => {
    const { start, save, submit, read, right } = await openQuiz(world);
    const { id } = (await start()).body;
    at(10);
    expect((await save(id, right.slice(0, 3))).body).toMatchObject({ saved_at: "2026-03-10T12:00:10.000Z" });
    await save(id, [{ question_id: right[0]?.question_id, response: null }]);
    const submitted = await submit(id, right.slice(3));
    expect(submitted.body).toMatchObject({
      score_obtained: 4,
      max_score: 5,
      passed: true,
      answers_shown: true,
    });
    const [first, second] = submitted.body.questions;
    expect(first).toMatchObject({ response: null, result: { points_earned: 0, is_right: false } });
    expect(second).toMatchObject({
      response: ["C", "A"],
      result: { is_right: true, answer: { option_ids: ["A", "C"] } },
    });
    expect((await read(id)).body).toEqual(submitted.body);
    const again = await submit(id, right);
    expect([again.status, again.body]).toEqual([200, submitted.body]);
    expect((await save(id, right)).body.detail).toBe("The attempt was already submitted");
  });

  it("keeps the order of its questions and options, and another attempt has a different one", async () => {
    const { start, read, submit } = await openQuiz(world, {
      randomize_order: true,
      num_questions_per_attempt: 4,
    });
    const orders = new Set<string>();
    for (let time = 0; time < 12; time += 1) {
      const { body } = await start();
      expect(body.questions).toHaveLength(4);
      expect((await start()).body.questions).toEqual(body.questions);
      expect((await read(body.id)).body.questions).toEqual(body.questions);
      orders.add(JSON.stringify(body.questions));
      await submit(body.id);
    }
    expect(orders.size).toBeGreaterThan(1);
  });

  it("accepts nothing from a learner who left the offering, is graded from saved answers, and continues with their return", async () => {
    const { start, save, submit, read, right, learner } = await openQuiz(world, {
      time_limit_seconds: 600,
    });
    const { id } = (await start()).body;
    await save(id, right.slice(0, 3));
    const [mine] = (await world.as(learner).get("/enrollments/my-enrollments")).body;
    const become = async (status: string) =>
      expect((await world.as(learner).put(`/enrollments/${mine.id}`, { status })).status).toBe(200);
    const refused = { status: 403, body: { detail: "Not enrolled in this offering" } };
    await become("DROPPED");
    expect(await save(id, right)).toMatchObject(refused);
    expect(await submit(id, right)).toMatchObject(refused);
    await become("ACTIVE");
    expect((await save(id, right.slice(3, 4))).status).toBe(200);
    await become("DROPPED");
    at(606);
    expect((await submit(id, right)).body.detail).toContain("saved in time are graded");
    expect((await read(id)).body).toMatchObject({ score_obtained: 4, timed_out: true });
  });

  it("is returned unchanged once submitted, also to a learner who has left", async () => {
    const { start, submit, right, learner } = await openQuiz(world);
    const { id } = (await start()).body;
    const submitted = await submit(id, right);
    const [mine] = (await world.as(learner).get("/enrollments/my-enrollments")).body;
    await world.as(learner).put(`/enrollments/${mine.id}`, { status: "DROPPED" });
    expect(await submit(id)).toMatchObject({ status: 200, body: submitted.body });
  });

  it("rejects all answers if one is invalid", async () => {
    const { start, save, read, questions } = await openQuiz(world);
    const { id } = (await start()).body;
    const [single, multiple, truth, numeric, short] = questions.map((one) => one.id);
    const faulty: [number | undefined, unknown][] = [
      [single, "D"],
      [single, ["A"]],
      [multiple, ["A", "D"]],
      [truth, "true"],
      [numeric, "9.8"],
      [short, 5],
      [2_147_483_647, "A"],
    ];
    for (const [question_id, response] of faulty) {
      const refused = await save(id, [
        { question_id: truth, response: true },
        { question_id, response },
      ]);
      expect([refused.status, refused.body.detail]).toEqual([
        400,
        `Question question_id '${question_id}' has no such answer in this attempt`,
      ]);
    }
    const saved = (await read(id)).body.questions.map((one: { response: unknown }) => one.response);
    expect(saved).toEqual(Array(5).fill(null));
  });

  it("belongs to its taker: staff can read it, others get 404", async () => {
    const { start, read, save, submit, assistant, offering } = await openQuiz(world);
    const { id } = (await start()).body;
    expect((await read(id, assistant)).body).toMatchObject({ id, answers_shown: false });
    expect((await save(id, [], assistant)).body).toEqual({ detail: "Not your quiz attempt" });
    const other = await make.person();
    await make.enrollment(other.id, offering.id);
    for (const reply of [await read(id, other), await save(id, [], other), await submit(id, [], other)])
      expect(reply.status).toBe(404);
  });

  it("needs a seat in the offering, a quiz with questions, and an attempt that is left", async () => {
    const { start, submit, quiz, offering, learner } = await openQuiz(world, {
      mastery: { max_attempts: 1 },
    });
    const stranger = await make.person();
    expect((await start(stranger)).body.detail).toBe("Not enrolled in this offering");
    const { id } = (await start()).body;
    await submit(id);
    expect((await start()).body.detail).toBe("No attempt at this quiz is left");
    const elsewhere = quiz.replace(`/${offering.id}/`, `/${(await make.topic()).offering.id}/`);
    expect((await world.as(learner).post(`${elsewhere}/attempts`)).status).toBe(404);
    const empty = await openQuiz(world, { question_pool_id: 2_147_483_647 });
    expect((await empty.start()).body.detail).toBe("The quiz has no questions");
    const closed = await openQuiz(world, { due_at: began });
    expect((await closed.start()).body.detail).toBe("The quiz is closed");
  });

  it("is passed with its part of the points, and as many right answers in a row as the quiz asks", async () => {
    const { start, submit, right } = await openQuiz(world, {
      passing_percent: 40,
      mastery: { threshold_correct_in_row: 3 },
    });
    const passedWith = async (answers: object[]) =>
      (await submit((await start()).body.id, answers)).body.passed;
    expect(await passedWith(right.slice(0, 2))).toBe(false);
    expect(await passedWith([...right.slice(0, 2), ...right.slice(3)])).toBe(false);
    expect(await passedWith(right.slice(1, 4))).toBe(true);
  });

  it("is activity when it starts, when it is saved, at most once a minute, and when it is submitted", async () => {
    const { start, save, submit, right, learner, offering, item } = await openQuiz(world);
    const { id } = (await start()).body;
    for (const seconds of [1, 5, 30, 62, 70]) {
      at(seconds);
      await save(id, right.slice(0, 1));
    }
    await submit(id);
    const events = await world.deps.db
      .select()
      .from(activityEvents)
      .where(eq(activityEvents.user_id, learner.id))
      .orderBy(activityEvents.id);
    expect(events.map(({ verb }) => verb)).toEqual(["attempted", "attempted", "attempted", "submitted"]);
    for (const event of events)
      expect(event).toMatchObject({ course_offering_id: offering.id, content_item_id: item.id });
  });
});

describe("an attempt with a time limit", () => {
  const limited = { time_limit_seconds: 60 };

  it("accepts answers within its grace period, and none after it", async () => {
    const { start, save, submit, read, right } = await openQuiz(world, limited);
    const { id, due_at } = (await start()).body;
    expect(due_at).toBe("2026-03-10T12:01:00.000Z");
    at(65);
    expect((await save(id, right.slice(0, 2))).status).toBe(200);
    at(65.001);
    const seen = (await read(id)).body;
    expect(seen).toMatchObject({ submitted_at: due_at, timed_out: true, score_obtained: 2, passed: false });
    const timeIsUp = "The time for this attempt is up. Answers that were saved in time are graded";
    expect((await submit(id, right)).body.detail).toBe(timeIsUp);
    expect((await save(id, right)).body.detail).toBe(timeIsUp);
    expect((await read(id)).body).toEqual(seen);
  });

  it("of a taker who left is closed by their next start", async () => {
    const { start, save, read, right } = await openQuiz(world, limited);
    const { id } = (await start()).body;
    await save(id, right);
    at(100);
    expect((await start()).body).toMatchObject({ attempt_number: 2 });
    expect((await read(id)).body).toMatchObject({ timed_out: true, score_obtained: 5, passed: true });
  });

  it("ends with the quiz, even if time is left", async () => {
    const { start } = await openQuiz(world, { ...limited, due_at: "2026-03-10T12:00:20Z" });
    expect((await start()).body.due_at).toBe("2026-03-10T12:00:20.000Z");
  });
});

describe("lists of attempts", () => {
  it("show the caller's own, and everyone's to staff, with an expired one as closed", async () => {
    const { start, quiz, learner, assistant, offering } = await openQuiz(world, { time_limit_seconds: 60 });
    const other = await make.person();
    await make.enrollment(other.id, offering.id);
    const [mine, theirs] = [(await start()).body.id, (await start(other)).body.id];
    at(100);
    const closed = { submitted_at: "2026-03-10T12:01:00.000Z", timed_out: true };
    const own = await world.as(learner).get(`/assessments/my-attempts?course_offering_id=${offering.id}`);
    expect(own.body).toMatchObject([{ id: mine, ...closed }]);
    const all = (await world.as(assistant).get(`${quiz}/attempts`)).body;
    expect(all).toMatchObject([
      { id: mine, full_name: learner.full_name, ...closed },
      { id: theirs, full_name: other.full_name },
    ]);
    const one = await world.as(assistant).get(`${quiz}/attempts?user_id=${other.id}`);
    expect(one.body).toMatchObject([{ id: theirs }]);
    expect((await world.as(assistant).get(`${quiz}/attempts?skip=5`)).body).toEqual([]);
    expect((await world.as(learner).get(`${quiz}/attempts`)).status).toBe(403);
  });
});
