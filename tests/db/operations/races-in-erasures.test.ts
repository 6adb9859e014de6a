import { and, eq, isNull, sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { eraseLeftovers } from "../../../lib/operations/personal-data/erase-leftovers.ts";
import { labSubmissions } from "../../../schema/db/assessment/lab-submissions.ts";
import { quizAttempts } from "../../../schema/db/assessment/quiz-attempts.ts";
import { enrollments } from "../../../schema/db/courses/enrollments.ts";
import { openQuiz } from "../../api/assessment/exam.ts";
import { atOnce } from "../../support/at-once.ts";
import { eraseAccountOf } from "../../support/erase.ts";
import { openLab } from "../../support/lab.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
const make = makersOf(world);
const rounds = [0, 1, 2, 3, 4, 5];

const erase = (person: { id: number }) => eraseAccountOf(world, person);
const sweep = () => eraseLeftovers(world.deps, new AbortController().signal);

const attemptsOf = ({ id }: { id: number }) =>
  world.deps.db.select().from(quizAttempts).where(eq(quizAttempts.user_id, id));

async function fullOffering() {
  const { offering } = await make.topic();
  await world.deps.db.execute(sql`update course_offerings set capacity = 1 where id = ${offering.id}`);
  const enroll = async (person: { id: number }) =>
    (await world.as(person).post("/enrollments/", { course_offering_id: offering.id })).body;
  const statusOf = async (person: { id: number }) => {
    const [found] = await world.deps.db
      .select({ status: enrollments.status })
      .from(enrollments)
      .where(and(eq(enrollments.user_id, person.id), eq(enrollments.course_offering_id, offering.id)));
    return found?.status;
  };
  return { offering, enroll, statusOf };
}

it.each(rounds)(
  "an erasure during the end of a course: the grade is final, from graded work (%i)",
  async (round) => {
    const { submit, grade, finalize, gradebook, learner, lab } = await openLab(world);
    await grade((await submit({ body: "x" }, learner, lab)).body.id, 15);
    const [erased, finalized] = await atOnce(
      round,
      () => erase(learner),
      () => finalize(),
    );
    expect([erased, finalized.status]).toEqual([204, 200]);
    expect(finalized.body).toMatchObject({ finalized: 1 });
    const [row] = (await gradebook()).body.rows;
    expect(row).toMatchObject({ user_id: learner.id, is_erased: true, cells: [{ score: 15 }, {}] });
    expect(row.final.final_score).toBe(row.final_percent);
  },
);

it.each(rounds)(
  "an erasure during an exam's submission: it is one attempt, closed once (%i)",
  async (round) => {
    const { start, submit, right, learner } = await openQuiz(world, { quiz_mode: "exam" });
    const { id } = (await start()).body;
    const [erased, submitted] = await atOnce(
      round,
      () => erase(learner),
      () => submit(id, right),
    );
    expect(erased).toBe(204);
    expect([200, 400, 401, 404]).toContain(submitted.status);
    const [attempt, ...more] = await attemptsOf(learner);
    expect(more).toEqual([]);
    expect(attempt?.submitted_at).not.toBeNull();
    if (submitted.status === 200) expect(attempt?.score_obtained).toBe(submitted.body.score_obtained);
  },
);

it.each(rounds)(
  "an erasure during a start: no attempt stays open, and a returning person has none (%i)",
  async (round) => {
    const { start, learner, offering } = await openQuiz(world, { quiz_mode: "exam" });
    const [erased, started] = await atOnce(
      round,
      () => erase(learner),
      () => start(),
    );
    expect(erased).toBe(204);
    expect([201, 401, 403, 404]).toContain(started.status);
    await sweep();
    const attempts = await attemptsOf(learner);
    expect(attempts.filter(({ submitted_at }) => submitted_at === null)).toEqual([]);
    const again = await make.person({ email: learner.email });
    await world.as(again).post("/enrollments/", { course_offering_id: offering.id });
    expect((await start(again)).status).toBe(attempts.length === 0 ? 201 : 400);
  },
);

it.each(rounds)(
  "an erasure during a grading: the work is graded and stays, or is deleted (%i)",
  async (round) => {
    const { submit, grade, gradebook, learner } = await openLab(world);
    const { id } = (await submit({ body: "x" })).body;
    const [erased, graded] = await atOnce(
      round,
      () => erase(learner),
      () => grade(id, 12),
    );
    expect(erased).toBe(204);
    const [cell] = (await gradebook()).body.rows[0].cells;
    if (graded.status === 200) expect(cell).toMatchObject({ score: 12, state: "GRADED" });
    else {
      expect(graded.status).toBe(404);
      expect(cell).toMatchObject({ score: null, state: "NONE" });
    }
  },
);

it.each(rounds)("an erasure during a change in the gradebook: the score stays (%i)", async (round) => {
  const { gradebook, learner, lab, teacher, here } = await openLab(world);
  const path = `${here}/grades/${learner.id}/items/${lab.id}`;
  const set = () => world.as(teacher).put(path, { score: 7, reason: "On paper" });
  const [erased, graded] = await atOnce(round, () => erase(learner), set);
  expect([erased, graded.status]).toEqual([204, 200]);
  expect((await gradebook()).body.rows[0].cells[0]).toMatchObject({ score: 7, state: "OVERRIDDEN" });
});

it.each(rounds)("an erasure during a submission leaves none without a grade (%i)", async (round) => {
  const { submit, learner } = await openLab(world);
  const [erased, handedIn] = await atOnce(
    round,
    () => erase(learner),
    () => submit({ body: "Late" }),
  );
  expect(erased).toBe(204);
  expect([201, 401, 403, 404]).toContain(handedIn.status);
  await sweep();
  expect(
    await world.deps.db.select().from(labSubmissions).where(eq(labSubmissions.user_id, learner.id)),
  ).toEqual([]);
});

it.each(rounds)("an erasure during an enrollment gives the seat to the new person (%i)", async (round) => {
  const { enroll, statusOf } = await fullOffering();
  const [leaving, coming] = [await make.person(), await make.person()];
  await enroll(leaving);
  const [erased] = await atOnce(
    round,
    () => erase(leaving),
    () => enroll(coming),
  );
  expect(erased).toBe(204);
  expect([await statusOf(leaving), await statusOf(coming)]).toEqual(["ACTIVE", "ACTIVE"]);
});

it.each(rounds)(
  "an erasure of the next person in line while a seat frees gives it to the one after (%i)",
  async (round) => {
    const { enroll, statusOf } = await fullOffering();
    const [first, second, third] = [await make.person(), await make.person(), await make.person()];
    const { id } = await enroll(first);
    await enroll(second);
    await enroll(third);
    const drop = () => world.as(first).put(`/enrollments/${id}`, { status: "DROPPED" });
    const [erased, dropped] = await atOnce(round, () => erase(second), drop);
    expect([erased, dropped.status]).toEqual([204, 200]);
    expect(await statusOf(third)).toBe("ACTIVE");
  },
);

it.each(rounds)("two concurrent erasures free two seats for two waiting people (%i)", async (round) => {
  const { offering, enroll, statusOf } = await fullOffering();
  await world.deps.db.execute(sql`update course_offerings set capacity = 2 where id = ${offering.id}`);
  const people = [await make.person(), await make.person(), await make.person(), await make.person()];
  for (const person of people) await enroll(person);
  const [first = { id: 0 }, second = { id: 0 }, ...waiting] = people;
  expect(
    await atOnce(
      round,
      () => erase(first),
      () => erase(second),
    ),
  ).toEqual([204, 204]);
  expect(await Promise.all(waiting.map(statusOf))).toEqual(["ACTIVE", "ACTIVE"]);
});

it.each(rounds)(
  "an erasure during a registration of its address is before it, or rejects it (%i)",
  async (round) => {
    const { start, submit, learner, offering } = await openQuiz(world, { quiz_mode: "exam" });
    await submit((await start()).body.id);
    const account = { email: learner.email, password: "correct horse", full_name: "Someone" };
    const register = () => world.as().post("/auth/register", account);
    const [erased, registered] = await atOnce(round, () => erase(learner), register);
    expect(erased).toBe(204);
    expect([201, 400]).toContain(registered.status);
    const { access_token } = (registered.status === 201 ? registered : await register()).body;
    const headers = { authorization: `Bearer ${access_token}` };
    const again = (await world.as().get("/users/me", { headers })).body;
    await world.as(again).post("/enrollments/", { course_offering_id: offering.id });
    expect((await start({ id: again.id })).status).toBe(400);
  },
);

it("nothing of all that is left open", async () => {
  await sweep();
  const open = await world.deps.db
    .select({ id: quizAttempts.id })
    .from(quizAttempts)
    .where(
      and(
        isNull(quizAttempts.submitted_at),
        sql`user_id in (select id from users where erased_at is not null)`,
      ),
    );
  expect(open).toEqual([]);
});
