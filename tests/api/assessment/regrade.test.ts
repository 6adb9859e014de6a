import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";
import { openQuiz } from "./exam.ts";

const world = openWorld();
const make = makersOf(world);

beforeEach(() => world.setNow(new Date("2026-03-10T12:00:00.000Z")));

/** A quiz that a learner has taken with all answers correct, and another learner with none. */
async function openTaken(data: Record<string, unknown> = {}) {
  const opened = await openQuiz(world, { mastery: { points: 5 }, ...data });
  const { offering, teacher, assistant, quiz, start, submit, right, questions } = opened;
  const other = await make.person();
  await make.enrollment(other.id, offering.id);
  const take = async (answers: object[], person = opened.learner) =>
    (await submit((await start(person)).body.id, answers, person)).body.id as number;
  const [full, empty] = [await take(right), await take([], other)];
  const ids = questions.map(({ id }) => id) as [number, number, number, number, number];
  const of = (question: number) => `${quiz}/questions/${question}/thrown-out`;
  return {
    ...{ ...opened, other, take, full, empty, ids },
    throwOut: (question: number, thrown_out: string | null, as = teacher) =>
      world.as(as).put(of(question), { thrown_out, reason: "Two options are correct" }),
    preview: (query = "", as = assistant) => world.as(as).get(`${quiz}/regrade${query}`),
    listed: async () => (await world.as(assistant).get(`${quiz}/questions`)).body,
    result: async (id: number) => (await world.as(assistant).get(`/assessments/attempts/${id}`)).body,
  };
}

describe("partial credit", () => {
  it("is a question's own setting, in its versions, exports and copies of the course", async () => {
    const { teacher, pool, ids, course, university } = await openTaken();
    const path = `/assessments/questions/${ids[1]}`;
    expect((await world.as(teacher).get(path)).body).toMatchObject({ version: 1, scoring: "all_or_nothing" });
    const changed = await world.as(teacher).put(path, { scoring: "PARTIAL" });
    expect(changed.body).toMatchObject({ version: 2, scoring: "partial" });
    expect((await world.as(teacher).put(path, { points: 2 })).body).toMatchObject({
      version: 3,
      scoring: "partial",
    });
    const versions = (await world.as(teacher).get(`${path}/versions`)).body;
    expect(versions.map((one: { scoring: string }) => one.scoring)).toEqual([
      ...["partial", "partial", "all_or_nothing"],
    ]);
    const exported = (await world.as(teacher).get(`/assessments/question-pools/${pool.id}/export`)).body;
    expect(exported.questions[1]).toMatchObject({ kind: "MULTIPLE_CHOICE", scoring: "partial" });
    const target = (
      await world.as(teacher).post("/assessments/question-pools", {
        ...{ university_id: university.id, course_id: course.id, title: "Copy" },
      })
    ).body;
    const put = (questions: object[]) =>
      world.as(teacher).post(`/assessments/question-pools/${target.id}/import`, { questions });
    expect((await put(exported.questions)).body).toMatchObject({ created: 5 });
    expect((await put(exported.questions)).body).toMatchObject({ created: 0, skipped: 5 });
    const again = (await world.as(teacher).get(`/assessments/question-pools/${target.id}/questions`)).body;
    expect(again[1]).toMatchObject({ scoring: "partial" });
    const copied = await world.as(teacher).post(`/courses/${course.id}/copy`, {});
    expect(copied.status).toBe(201);
    const { rows } = await world.deps.db.execute(sql`
      select scoring from questions join question_pools as pool on pool.id = question_pool_id
      where pool.course_id = ${copied.body.id} and kind = 'multiple_choice' order by questions.id`);
    expect(rows).toEqual([{ scoring: "partial" }, { scoring: "partial" }]);
  });

  it("is rejected for questions with one correct answer", async () => {
    const { teacher, pool, ids } = await openTaken();
    const refused = await world.as(teacher).put(`/assessments/questions/${ids[0]}`, { scoring: "partial" });
    expect([refused.status, refused.body.detail[0].loc]).toEqual([422, ["body", "scoring"]]);
    const created = await world.as(teacher).post(`/assessments/question-pools/${pool.id}/questions`, {
      ...{ kind: "TRUE_FALSE", question_text: "True?", answer: { value: true }, scoring: "partial" },
    });
    expect(created.status).toBe(422);
  });

  it("is earned by a part of the correct options, and shown with the result", async () => {
    const { teacher, ids, take, result } = await openTaken();
    await world.as(teacher).put(`/assessments/questions/${ids[1]}`, { scoring: "partial", points: 3 });
    const id = await take([{ question_id: ids[1], response: ["A"] }]);
    const attempt = await result(id);
    expect(attempt).toMatchObject({ score_obtained: 1.5, max_score: 7 });
    expect(attempt.questions[1]).toMatchObject({
      ...{ scoring: "partial", points: 3, thrown_out: null },
      result: { points_earned: 1.5, is_right: false },
    });
  });
});

describe("a short answer", () => {
  it("is compared by the case rules of the course's language", async () => {
    const opened = await openQuiz(world);
    const { course, teacher, questions, start, submit } = opened;
    const short = questions[4]?.id;
    await world.as(teacher).put(`/assessments/questions/${short}`, { answer: { texts: ["don't", "sınır"] } });
    const points = async (response: string) => {
      const { id } = (await start()).body;
      return (await submit(id, [{ question_id: short, response }])).body.score_obtained;
    };
    expect([await points("Don’t"), await points("sinir")]).toEqual([1, 1]);
    await world.deps.db.execute(sql`update courses set language_code = 'tr' where id = ${course.id}`);
    expect([await points("SINIR"), await points("sinir")]).toEqual([1, 0]);
  });
});

describe("a question that is thrown out", () => {
  it("gives its points to everyone, or leaves the total, until it is taken back", async () => {
    const { ids, throwOut, full, empty, result, listed } = await openTaken();
    const scores = async () =>
      (await Promise.all([full, empty].map(result))).map(({ score_obtained, max_score, passed }) => [
        ...[score_obtained, max_score, passed],
      ]);
    expect(await scores()).toEqual([
      [5, 5, true],
      [0, 5, false],
    ]);
    expect((await throwOut(ids[0], "full_points")).body).toEqual({ graded: 2 });
    expect(await scores()).toEqual([
      [5, 5, true],
      [1, 5, false],
    ]);
    expect((await throwOut(ids[0], "NO_POINTS")).body).toEqual({ graded: 2 });
    expect(await scores()).toEqual([
      [4, 4, true],
      [0, 4, false],
    ]);
    expect((await result(full)).questions[0]).toMatchObject({
      ...{ thrown_out: "no_points", points: 1, result: { points_earned: 0, is_right: true } },
    });
    expect((await listed())[0]).toEqual({
      ...{ question_id: ids[0], kind: "SINGLE_CHOICE", question_text: "One?", points: 1, attempts: 2 },
      ...{
        thrown_out: "no_points",
        reason: "Two options are correct",
        thrown_out_at: "2026-03-10T12:00:00.000Z",
      },
    });
    expect((await throwOut(ids[0], null)).body).toEqual({ graded: 2 });
    expect((await scores())[1]).toEqual([0, 5, false]);
    expect((await listed()).map((one: { thrown_out: string | null }) => one.thrown_out)).toEqual([
      ...[null, null, null, null, null],
    ]);
  });

  it("also counts so in later attempts of this offering, and in no other quiz", async () => {
    const { ids, throwOut, take, result, course, module, university, pool, offering, learner } =
      await openTaken();
    await throwOut(ids[0], "full_points");
    expect(await result(await take([]))).toMatchObject({ score_obtained: 1, max_score: 5 });
    const data_json = { question_pool_id: pool.id };
    const quiz = await make.contentItem(module, university.id, { type: "quiz", data_json });
    const other = await make.offering(course, {});
    await make.enrollment(learner.id, other.id);
    for (const path of [
      `/assessments/offerings/${offering.id}/quizzes/${quiz.id}`,
      `/assessments/offerings/${other.id}/quizzes/${quiz.id}`,
    ]) {
      const { id } = (await world.as(learner).post(`${path}/attempts`)).body;
      const submitted = await world.as(learner).post(`/assessments/attempts/${id}/submit`, { responses: [] });
      expect(submitted.body).toMatchObject({ score_obtained: 0, max_score: 5 });
    }
  });

  it("changes grades with an audit entry and a change for each learner, and outdates a final grade", async () => {
    const { ids, throwOut, teacher, university, offering, item, other } = await openTaken();
    const here = `/assessments/offerings/${offering.id}`;
    await world.as(teacher).post(`${here}/grades/finalize`, { include_awaiting: true });
    await throwOut(ids[2], "full_points");
    const rows = (await world.as(teacher).get(`${here}/gradebook`)).body.rows;
    const changed = rows.find((row: { user_id: number }) => row.user_id === other.id);
    expect(changed).toMatchObject({ final_percent: 20, final: { final_score: 0, is_outdated: true } });
    const changes = (await world.as(teacher).get(`${here}/grade-changes?user_id=${other.id}`)).body;
    expect(changes[0]).toMatchObject({ kind: "quiz_regraded", former: { score: 0 }, current: { score: 1 } });
    const admin = await make.holder("university_admin", university.id);
    const audit = await world.as(admin).get("/admin/audit?action=quiz.regraded");
    expect(audit.body[0]).toMatchObject({
      actor_id: teacher.id,
      details: {
        ...{ content_item_id: item.id, course_offering_id: offering.id },
        ...{
          question_id: ids[2],
          thrown_out: "full_points",
          former: null,
          reason: "Two options are correct",
        },
      },
    });
  });

  it("has no facility, and still counts what was chosen", async () => {
    const { ids, throwOut, pool, teacher } = await openTaken();
    for (const credit of ["full_points", "no_points"]) {
      await throwOut(ids[0], credit);
      const path = `/assessments/question-pools/${pool.id}/statistics`;
      const [first, second] = (await world.as(teacher).get(path)).body;
      expect(first).toMatchObject({ question_id: ids[0], drawn: 2, facility: null, discrimination: null });
      expect(first.choices).toContainEqual({ choice: "B", chosen: 1 });
      expect(second).toMatchObject({ question_id: ids[1], drawn: 2, facility: 0.5 });
    }
  });

  it("is not found in another quiz, and only graders of this one may throw it out", async () => {
    const { ids, throwOut, learner } = await openTaken();
    const elsewhere = await openTaken();
    expect((await throwOut(elsewhere.ids[0], "full_points")).status).toBe(404);
    expect((await throwOut(ids[0], "full_points", learner)).status).toBe(403);
    expect((await throwOut(ids[0], "full_points", elsewhere.teacher)).status).toBe(403);
    expect((await throwOut(ids[0], "half_points")).status).toBe(422);
  });

  it("gives its points if an attempt has no other question", async () => {
    const { ids, throwOut, full, empty, result } = await openTaken();
    for (const id of ids) await throwOut(id, "no_points");
    expect(await result(full)).toMatchObject({ score_obtained: 5, max_score: 5, passed: true });
    expect(await result(empty)).toMatchObject({ score_obtained: 5, max_score: 5, passed: true });
  });
});

describe("a preview of a regrade", () => {
  it("lists the results that change, from what to what, and writes nothing", async () => {
    const { ids, preview, teacher, other, empty, full, learner, result } = await openTaken();
    expect((await preview()).body).toEqual({ attempts: 2, changed: 0, changes: [] });
    const proposed = (await preview(`?question_id=${ids[0]}&thrown_out=full_points`)).body;
    expect(proposed).toEqual({
      ...{ attempts: 2, changed: 1 },
      changes: [
        {
          ...{
            attempt_id: empty,
            attempt_number: 1,
            user_id: other.id,
            code: null,
            full_name: other.full_name,
          },
          former: { score: 0, max_score: 5, passed: false },
          present: { score: 1, max_score: 5, passed: false },
        },
      ],
    });
    await world.as(teacher).put(`/assessments/questions/${ids[0]}`, { answer: { option_id: "A" } });
    expect((await preview()).body.changes).toMatchObject([
      { attempt_id: full, user_id: learner.id, former: { score: 5 }, present: { score: 4, passed: true } },
    ]);
    expect(await result(full)).toMatchObject({ score_obtained: 5 });
  });

  it("equals the regrade that follows, for a question that is thrown out and taken back", async () => {
    const { ids, preview, throwOut, result, take } = await openTaken();
    await take([{ question_id: ids[2], response: true }]);
    for (const [question, credit] of [
      [ids[2], "no_points"],
      [ids[3], "full_points"],
      [ids[2], null],
    ] as const) {
      const query = `?question_id=${question}${credit ? `&thrown_out=${credit}` : ""}`;
      const { changes } = (await preview(query)).body;
      await throwOut(question, credit);
      expect(changes.length).toBeGreaterThan(0);
      for (const { attempt_id, present } of changes)
        expect(await result(attempt_id)).toMatchObject({
          ...{ score_obtained: present.score, max_score: present.max_score, passed: present.passed },
        });
      expect((await preview()).body.changed).toBe(0);
    }
  });

  it("names codes instead of people while the quiz is graded anonymously", async () => {
    const { ids, preview } = await openTaken({ anonymous: true });
    const { changes } = (await preview(`?question_id=${ids[0]}&thrown_out=full_points`)).body;
    expect(changes).toMatchObject([{ user_id: null, full_name: null, code: expect.any(String) }]);
  });

  it("is for graders", async () => {
    const { preview, learner, quiz } = await openTaken();
    expect((await preview("", learner)).status).toBe(403);
    expect((await world.as(learner).get(`${quiz}/questions`)).status).toBe(403);
    const elsewhere = await openTaken();
    expect((await preview("", elsewhere.assistant)).status).toBe(403);
  });
});
