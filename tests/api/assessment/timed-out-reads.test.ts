import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { closeAndGradeDueAttempts } from "../../../lib/assessment/grade-closed-attempts.ts";
import { openWorld } from "../../support/world.ts";
import { openSession } from "../tutor/chat/support.ts";
import { openQuiz } from "./exam.ts";

const world = openWorld();

const began = "2026-03-10T12:00:00.000Z";
const at = (seconds: number) => world.setNow(new Date(Date.parse(began) + seconds * 1000));

beforeEach(() => at(0));
afterEach(() => world.llm.reset());

/** A quiz of five points with a timed-out attempt whose saved answers are all correct. */
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
  const outline = `/courses/${opened.course.id}/offerings/${offering.id}/outline`;
  return { ...opened, here, outline, id };
}

async function submittedAt(id: number): Promise<unknown> {
  const statement = `select submitted_at from quiz_attempts where id = ${Number(id)}`;
  return (await world.deps.db.execute(statement)).rows[0]?.["submitted_at"];
}

type Opened = Awaited<ReturnType<typeof openTimedOut>>;

/** Every read that contains an attempt's result. */
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
  "the outline": async ({ learner, outline }) => (await world.as(learner).get(outline)).body.modules,
  "the outline, by staff": async ({ teacher, learner, outline }) =>
    (await world.as(teacher).get(`${outline}?user_id=${learner.id}`)).body.modules,
  "what the tutor is told": async ({ learner, item }) => {
    const client = world.as(learner);
    await client.put("/users/me", { tutor_sees_results: true });
    world.llm.script({ chunks: ["Well."] });
    await (await openSession(client, item.id)).say("How did I do?");
    return world.llm.requests.at(-1)?.messages.at(-1)?.content;
  },
  "one's own data": async ({ learner }) =>
    (await world.as(learner).get("/users/me/export")).body.quiz_attempts,
};

/** Every read of the learner that shows what a passed attempt completes. */
const progressReads: [path: string, isShown: object][] = [
  ["/users/me/home", { courses: [{ progress_percent: 100, next_item: null }] }],
  ["/progress/content/my-progress", [{ progress_percent: 100, completed_at: "2026-03-10T12:01:00.000Z" }]],
  ["/progress/modules/my-progress", [{ computed_percent: 100 }]],
];

describe("an attempt whose time is up", () => {
  it.each(Object.entries(reads))(
    "shows its result before the job has stored it: %s",
    async (_name, readIt) => {
      const opened = await openTimedOut();
      const before = await readIt(opened);
      await closeAndGradeDueAttempts(world.deps, new AbortController().signal);
      expect(before).toEqual(await readIt(opened));
      expect(JSON.stringify(before)).toMatch(
        /"score(_obtained)?":5\b|,100,A|current_percent":100|5 of 5 points/,
      );
    },
  );

  it.each(progressReads)("completes its item before the job has stored it: %s", async (path, shown) => {
    const { learner, offering, module } = await openTimedOut();
    const recorded = { course_offering_id: offering.id, module_id: module.id, progress_percent: 10 };
    expect((await world.as(learner).post("/progress/modules", recorded)).status).toBe(200);
    const read = async () => (await world.as(learner).get(path)).body;
    const before = await read();
    await closeAndGradeDueAttempts(world.deps, new AbortController().signal);
    expect(before).toEqual(await read());
    expect(before).toMatchObject(shown);
  });

  it("is stored once its result was read", async () => {
    const { read, id } = await openTimedOut();
    expect((await read(id)).body).toMatchObject({ score_obtained: 5, timed_out: true });
    const { rows } = await world.deps.db.execute(
      `select timed_out, awaits_grading, score_obtained from quiz_attempts where id = ${Number(id)}`,
    );
    expect(rows).toEqual([{ timed_out: true, awaits_grading: false, score_obtained: "5.00" }]);
  });

  it("shows its result if it cannot be stored", async () => {
    const { read, id } = await openTimedOut();
    await world.deps.db.execute(
      "alter table quiz_attempts add constraint never_closed check (submitted_at is null) not valid",
    );
    const { status, body } = await read(id);
    await world.deps.db.execute("alter table quiz_attempts drop constraint never_closed");
    expect({ status, body }).toMatchObject({ status: 200, body: { score_obtained: 5, timed_out: true } });
    expect(await submittedAt(id)).toBeNull();
  });

  it("counts as handed in in the week of staff before the job has stored it", async () => {
    const opened = await openQuiz(world, { time_limit_seconds: 60, due_at: "2026-03-12T12:00:00Z" });
    const { course, offering, teacher, start } = opened;
    const path = `/courses/${course.id}/offerings/${offering.id}/week`;
    const handedIn = async () => (await world.as(teacher).get(path)).body.due[0].handed_in;
    const { id } = (await start()).body;
    expect(await handedIn()).toBe(0);
    at(100);
    expect(await handedIn()).toBe(1);
    expect(await submittedAt(id)).toBeNull();
  });

  it("is settled once by readers and the job that race for it", async () => {
    const { learner, teacher, here, outline, id } = await openTimedOut();
    const [attempts, gradebook, outlined] = await Promise.all([
      world.as(learner).get("/assessments/my-attempts"),
      world.as(teacher).get(`${here}/gradebook`),
      world.as(learner).get(outline),
      closeAndGradeDueAttempts(world.deps, new AbortController().signal),
    ]);
    for (const { status, body } of [attempts, gradebook, outlined]) {
      expect(status).toBe(200);
      expect(JSON.stringify(body)).toMatch(/"score(_obtained)?":(5|100)\b/);
    }
    const { rows } = await world.deps.db.execute(
      `select grade_version, awaits_grading from quiz_attempts where id = ${Number(id)}`,
    );
    expect(rows).toEqual([{ grade_version: 1, awaits_grading: false }]);
  });

  it("is settled by no reader without permission", async () => {
    const { quiz, learner, id } = await openTimedOut();
    expect((await world.as(learner).get(`${quiz}/attempts`)).status).toBe(403);
    expect(await submittedAt(id)).toBeNull();
  });

  it("is settled by no reader who has just lost the role", async () => {
    const { teacher, here, id } = await openTimedOut();
    const readBook = () => world.as(teacher).get(`${here}/gradebook`);
    at(0);
    expect((await readBook()).status).toBe(200);
    await world.deps.db.execute(`delete from user_university_roles where user_id = ${teacher.id}`);
    at(100);
    expect((await readBook()).status).toBe(403);
    expect(await submittedAt(id)).toBeNull();
  });
});
