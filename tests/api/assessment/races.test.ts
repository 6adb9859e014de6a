import { and, eq, inArray, isNotNull } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { closeAndGradeDueAttempts } from "../../../lib/assessment/grade-closed-attempts.ts";
import { quizAttempts } from "../../../schema/db/assessment/quiz-attempts.ts";
import { openWorld } from "../../support/world.ts";
import { openQuiz } from "./exam.ts";

const world = openWorld();

const at = (seconds: number) => world.setNow(new Date(Date.parse("2026-03-10T12:00:00Z") + seconds * 1000));

beforeEach(() => at(0));

const endAll = () =>
  closeAndGradeDueAttempts({ db: world.deps.db, now: world.deps.now }, new AbortController().signal);

describe("concurrent requests", () => {
  it("fifty starts are one attempt, and one of them made it", async () => {
    const { start } = await openQuiz(world, { quiz_mode: "exam", randomize_order: true });
    const replies = await Promise.all(Array.from({ length: 50 }, () => start()));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
  });

  it("starts after the end of the last attempt create no more attempts than are left", async () => {
    const { start, submit, learner } = await openQuiz(world, { mastery: { max_attempts: 2 } });
    await submit((await start()).body.id);
    const replies = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const reply = await start();
        if (reply.status < 400) await submit(reply.body.id);
        return reply;
      }),
    );
    expect(replies.every(({ status }) => [200, 201, 400].includes(status))).toBe(true);
    const taken = await world.deps.db
      .select({ id: quizAttempts.id })
      .from(quizAttempts)
      .where(eq(quizAttempts.user_id, learner.id));
    expect(taken).toHaveLength(2);
  });

  it("submissions have one result, and all say it", async () => {
    const { start, submit, right } = await openQuiz(world);
    const { id } = (await start()).body;
    const replies = await Promise.all(right.map((answer) => submit(id, [answer])));
    expect(replies.map(({ status }) => status)).toEqual(Array(5).fill(200));
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    expect(replies[0]?.body).toMatchObject({ score_obtained: 1 });
  });

  it("saves of different answers lose none of them", async () => {
    const { start, save, submit, right } = await openQuiz(world);
    const { id } = (await start()).body;
    const replies = await Promise.all(right.map((answer) => save(id, [answer])));
    expect(replies.map(({ status }) => status)).toEqual(Array(5).fill(200));
    expect((await submit(id)).body.score_obtained).toBe(5);
  });

  it("a save, a submission and the end of the time have one result, with everything that was confirmed as saved", async () => {
    const { start, save, submit, read, right } = await openQuiz(world, { time_limit_seconds: 60 });
    for (let round = 0; round < 5; round += 1) {
      at(0);
      const { id } = (await start()).body;
      // Requests at the time limit race with earlier ones.
      at(65);
      const inTime = [save(id, right.slice(0, 2)), save(id, right.slice(2, 3)), submit(id, right.slice(3))];
      await Promise.resolve();
      at(66);
      const [saved, alsoSaved, submitted] = await Promise.all(inTime);
      await Promise.all([endAll(), endAll(), start()]);
      const { score_obtained } = (await read(id)).body;
      const said = [
        ...(saved?.status === 200 ? [2] : []),
        ...(alsoSaved?.status === 200 ? [1] : []),
        ...(submitted?.status === 200 ? [2] : []),
      ].reduce((sum, points) => sum + points, 0);
      expect(score_obtained).toBe(said);
      for (const reply of [saved, alsoSaved, submitted])
        expect(
          reply?.status === 200 ||
            /^The (attempt was already submitted|time for this)/.test(reply?.body.detail),
        ).toBe(true);
    }
  });
});

describe("the schedule", () => {
  it("grades abandoned attempts once, from saved answers", async () => {
    const { start, save, read, right, learner } = await openQuiz(world, { time_limit_seconds: 60 });
    const { id } = (await start()).body;
    await save(id, right.slice(1, 4));
    at(64);
    await endAll();
    expect((await read(id)).body).toMatchObject({ submitted_at: null });
    at(66);
    await Promise.all([endAll(), endAll()]);
    const [stored] = await world.deps.db
      .select()
      .from(quizAttempts)
      .where(eq(quizAttempts.user_id, learner.id));
    expect(stored).toMatchObject({ timed_out: true, awaits_grading: false, score_obtained: 3, passed: true });
    expect((await read(id)).body).toMatchObject({ timed_out: true, score_obtained: 3, passed: true });
    expect(await endAll()).toEqual({ closed: 0, graded: 0 });
  });

  it("grades attempts submitted to a process that died before grading them", async () => {
    const { start, submit, read, right, learner } = await openQuiz(world);
    const { id } = (await start()).body;
    const submitted = (await submit(id, right)).body;
    await world.deps.db
      .update(quizAttempts)
      .set({ awaits_grading: true, score_obtained: null, passed: null })
      .where(eq(quizAttempts.id, id));
    expect((await endAll()).graded).toBe(1);
    expect((await read(id)).body).toEqual(submitted);
    const graded = and(eq(quizAttempts.user_id, learner.id), isNotNull(quizAttempts.score_obtained));
    expect(await world.deps.db.select().from(quizAttempts).where(graded)).toMatchObject([
      { score_obtained: 5 },
    ]);
  });

  it("grades the others when one cannot be graded, which it says and tries again", async () => {
    const { db } = world.deps;
    const attempts: number[] = [];
    for (const { start, submit, right } of [await openQuiz(world), await openQuiz(world)]) {
      const { id } = (await start()).body;
      await submit(id, right);
      attempts.push(id);
    }
    const [unlucky, other] = attempts;
    await db
      .update(quizAttempts)
      .set({ awaits_grading: true, score_obtained: null, passed: null })
      .where(inArray(quizAttempts.id, attempts));
    await db.execute(`
      create function refuse_grade() returns trigger language plpgsql as $$ begin raise 'no grade'; end $$;
      create trigger refuse_grade before update on quiz_attempts for each row when (new.id = ${unlucky})
        execute function refuse_grade()`);
    await expect(endAll()).rejects.toThrow("store_quiz_grades");
    const waiting = () => db.$count(quizAttempts, eq(quizAttempts.awaits_grading, true));
    expect(await waiting()).toBe(1);
    expect(
      await db.$count(quizAttempts, and(eq(quizAttempts.id, Number(other)), eq(quizAttempts.passed, true))),
    ).toBe(1);
    await db.execute("drop function refuse_grade cascade");
    expect(await endAll()).toEqual({ closed: 0, graded: 1 });
    expect(await waiting()).toBe(0);
  });
});
