import { beforeEach, describe, expect, it } from "vitest";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";
import { openQuiz } from "./exam.ts";

const world = openWorld();
const make = makersOf(world);

const at = (moment: string) => world.setNow(`2026-03-10T${moment}Z`);

beforeEach(() => at("12:00:00"));

const noneLeft = "No attempt at this quiz is left";

/** A quiz in a course with two concurrent offerings, and a learner in both. */
async function openTwice(
  data: Parameters<typeof openQuiz>[1] = {},
  first: { ends_at?: string } = {},
  second: Parameters<typeof make.offering>[1] = {},
) {
  const opened = await openQuiz(world, data, first);
  const { course, learner, quiz, teacher } = opened;
  const other = await make.offering(course, second);
  await make.enrollment(learner.id, other.id);
  const quizIn = (offering: { id: number }, item = opened.item) =>
    `/assessments/offerings/${offering.id}/quizzes/${item.id}`;
  const startElsewhere = (person = learner) => world.as(person).post(`${quizIn(other)}/attempts`);
  const grantElsewhere = (max_attempts: number) =>
    world.as(teacher).put(`${quizIn(other)}/overrides/${learner.id}`, { max_attempts });
  const grade = (offering: { id: number }, scheme: object = {}) =>
    world.as(teacher).put(`/assessments/offerings/${offering.id}/grading-scheme`, scheme);
  return { ...opened, other, quiz, quizIn, startElsewhere, grantElsewhere, grade };
}

describe("attempts at a quiz that counts", () => {
  it("are counted over the offerings of the course in a term: an exam is taken once", async () => {
    const { start, submit, startElsewhere, other, learner } = await openTwice({ quiz_mode: "exam" });
    const { id } = (await start()).body;
    // Also while the first attempt is open.
    expect((await startElsewhere()).body.detail).toBe(noneLeft);
    await submit(id);
    expect((await startElsewhere()).body.detail).toBe(noneLeft);
    const listed = await world.as(learner).get(`/assessments/my-attempts?course_offering_id=${other.id}`);
    expect(listed.body).toEqual([]);
  });

  it("are counted of an offering that was dropped", async () => {
    const { start, startElsewhere, learner } = await openTwice({ quiz_mode: "exam" });
    await start();
    const mine = (await world.as(learner).get("/enrollments/my-enrollments?sort=enrolled_at")).body;
    await world.as(learner).put(`/enrollments/${mine[0].id}`, { status: "DROPPED" });
    expect((await startElsewhere()).body.detail).toBe(noneLeft);
  });

  it("start again in another term, and at another time", async () => {
    const later = await openTwice(
      { quiz_mode: "exam" },
      { ends_at: "2026-06-01T00:00:00Z" },
      { starts_at: "2026-06-01T00:00:00Z" },
    );
    await later.start();
    expect((await later.startElsewhere()).body).toMatchObject({ attempt_number: 1 });

    const { university, start, startElsewhere, offering, other, course, teacher } = await openTwice({
      quiz_mode: "exam",
    });
    const terms = [await make.term(university.id), await make.term(university.id)];
    for (const [index, run] of [offering, other].entries())
      await world.as(teacher).put(`/courses/${course.id}/offerings/${run.id}`, { term_id: terms[index]?.id });
    await start();
    expect((await startElsewhere()).body).toMatchObject({ attempt_number: 1 });
  });

  it("are granted for one offering, over the count of all, and keep their numbers", async () => {
    const { start, submit, startElsewhere, grantElsewhere } = await openTwice({ quiz_mode: "exam" });
    await submit((await start()).body.id);
    await grantElsewhere(2);
    const second = (await startElsewhere()).body;
    expect(second).toMatchObject({ attempt_number: 1 });
    await submit(second.id);
    for (const reply of [await startElsewhere(), await start()]) expect(reply.body.detail).toBe(noneLeft);
    await grantElsewhere(3);
    expect((await startElsewhere()).body).toMatchObject({ attempt_number: 2 });
    expect((await start()).body.detail).toBe(noneLeft);
  });

  it("are those at a practice that is part of a grade, and each offering's own at any other", async () => {
    const { start, submit, startElsewhere, grade, other } = await openTwice({ mastery: { max_attempts: 1 } });
    await grade(other, { groups: [{ name: "Labs", weight: 100, content_item_ids: [] }] });
    await submit((await start()).body.id);
    await submit((await startElsewhere()).body.id);
    expect((await startElsewhere()).body.detail).toBe(noneLeft);

    const graded = await openTwice({ mastery: { max_attempts: 1 } });
    await graded.grade(graded.other, {
      groups: [{ name: "Quizzes", weight: 10, content_item_ids: [graded.item.id] }],
    });
    await graded.submit((await graded.start()).body.id);
    expect((await graded.startElsewhere()).body.detail).toBe(noneLeft);
  });
});

describe("right answers", () => {
  const ended = { ends_at: "2026-03-10T13:00:00Z" };

  it("of a finished exam are hidden while the learner can still take it in another offering", async () => {
    const { start, submit, read, offering } = await openTwice(
      { quiz_mode: "exam", mastery: { max_attempts: 2 } },
      ended,
      { ends_at: "2026-03-10T15:00:00Z" },
    );
    const alone = await make.person();
    await make.enrollment(alone.id, offering.id);
    const [mine, theirs] = [(await start()).body.id, (await start(alone)).body.id];
    await submit(mine);
    await submit(theirs, [], alone);
    at("13:00:06");
    // No other attempt depends on it.
    expect((await read(theirs, alone)).body.answers_shown).toBe(true);
    const shown = (await read(mine)).body;
    expect(shown).toMatchObject({ answers_shown: false, questions: [{ result: null }, {}, {}, {}, {}] });
    at("15:00:06");
    expect((await read(mine)).body.answers_shown).toBe(true);
  });

  it("of an exam are shown despite other offerings once no attempt is left, except for an open one", async () => {
    const { start, submit, read, grantElsewhere, startElsewhere } = await openTwice(
      { quiz_mode: "exam" },
      ended,
    );
    const { id } = (await start()).body;
    await submit(id);
    await grantElsewhere(2);
    const open = (await startElsewhere()).body.id;
    await grantElsewhere(1);
    at("13:00:06");
    expect((await read(id)).body.answers_shown).toBe(false);
    await submit(open);
    expect((await read(id)).body.answers_shown).toBe(true);
  });

  it("of a practice quiz are hidden once an exam of the same pool opens in any offering", async () => {
    const { start, submit, read, pool, module, university, learner, other, quizIn, right } = await openTwice({
      due_at: "2026-03-10T14:00:00Z",
    });
    await make.contentItem(module, university.id, {
      type: "quiz",
      data_json: { question_pool_id: pool.id, mastery: { max_attempts: 1 } },
    });
    const submitted = await submit((await start()).body.id, right);
    expect(submitted.body.answers_shown).toBe(true);
    const exam = await make.contentItem(module, university.id, {
      type: "quiz",
      data_json: { question_pool_id: pool.id, quiz_mode: "exam" },
      available_from: "2026-03-10T12:30:00Z",
    });
    const { id } = submitted.body;
    expect((await read(id)).body.answers_shown).toBe(true);
    at("12:30:00");
    expect((await read(id)).body.answers_shown).toBe(false);
    // An attempt submitted since shows no answers.
    const again = await submit((await start()).body.id, right);
    expect(again.body).toMatchObject({ score_obtained: 5, answers_shown: false });
    const taken = (await world.as(learner).post(`${quizIn(other, exam)}/attempts`)).body.id;
    expect((await read(id)).body.answers_shown).toBe(false);
    await submit(taken);
    expect((await read(id)).body.answers_shown).toBe(true);
  });

  it("of a practice that counts wait until its attempts are taken, its time is over, or the grade is final", async () => {
    const { start, submit, read, grade, offering } = await openTwice({ mastery: { max_attempts: 2 } });
    await grade(offering);
    const first = (await submit((await start()).body.id)).body;
    expect(first.answers_shown).toBe(false);
    expect((await submit((await start()).body.id)).body.answers_shown).toBe(true);
    expect((await read(first.id)).body.answers_shown).toBe(true);

    const endless = await openTwice();
    await endless.grade(endless.offering);
    const { id } = (await endless.submit((await endless.start()).body.id)).body;
    expect((await endless.read(id)).body.answers_shown).toBe(false);
    // A learner who drops may return.
    const [mine] = (await world.as(endless.learner).get("/enrollments/my-enrollments?sort=enrolled_at")).body;
    await world.as(endless.learner).put(`/enrollments/${mine.id}`, { status: "DROPPED" });
    expect((await endless.read(id)).body.answers_shown).toBe(false);
    await world.as(endless.teacher).put(`/enrollments/${mine.id}`, { status: "ACTIVE" });
    await world.as(endless.teacher).post(`/assessments/offerings/${endless.offering.id}/grades/finalize`, {});
    expect((await endless.read(id)).body.answers_shown).toBe(true);
  });
});
