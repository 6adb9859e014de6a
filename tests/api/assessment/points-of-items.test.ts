import { beforeEach, describe, expect, it } from "vitest";
import { signGraderCall } from "../../../lib/assessment/grader-signature.ts";
import { openLab } from "../../support/lab.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";
import { openQuiz } from "./exam.ts";

const world = openWorld();
const make = makersOf(world);

beforeEach(() => world.setNow("2026-03-10T12:00:00.000Z"));

type Lab = Awaited<ReturnType<typeof openLab>>;

/** The learner's lab has 15 of 20 by a grade, another learner's 18 by an override. */
async function openScores() {
  const opened = await openLab(world);
  const { id } = (await opened.submit({ body: "x" })).body;
  await opened.grade(id, 15);
  const ben = await make.person();
  await make.enrollment(ben.id, opened.offering.id);
  await setScore(opened, ben.id, 18);
  return { ...opened, submission: id, ben };
}

const setScore = ({ here, assistant, lab }: Lab, user: number, score: number, item = lab) =>
  world.as(assistant).put(`${here}/grades/${user}/items/${item.id}`, { score, reason: "On paper" });

const change = ({ teacher, lab }: Lab, body: object) => world.as(teacher).put(`/content/${lab.id}`, body);

const points = (max_points: number, more: object = {}) => ({
  data_json: { grading: { max_points, ...more } },
});

const textType = async () => {
  const types = (await world.as().get("/content-types")).body;
  return types.find(({ name }: { name: string }) => name === "text");
};

const scores = async ({ gradebook, learner }: Lab) => {
  const { rows } = (await gradebook()).body;
  const own = (row: { user_id: number }) => row.user_id === learner.id;
  return rows
    .toSorted((one: { user_id: number }) => (own(one) ? -1 : 1))
    .map((row: { cells: { score: number }[] }) => row.cells[0]?.score);
};

describe("a score", () => {
  it("is at most the points of its item for every grader", async () => {
    const opened = await openLab(world);
    const { submit, grade, here, teacher, lab, learner, paper } = opened;
    const { id } = (await submit({ body: "x" })).body;
    const over = { status: 400, body: { detail: `'${lab.title}' can give at most 20 points` } };
    expect(await grade(id, 20.01)).toMatchObject(over);
    expect(await setScore(opened, learner.id, 999)).toMatchObject(over);
    const { secret } = (await world.as(teacher).get(`${here}/assignments/${lab.id}/auto-grader`)).body;
    const at = world.deps.now().getTime();
    const digest = signGraderCall(secret, { at, submissionId: id, body: '{"score":21}' });
    const headers = { "x-grader-signature": `t=${at},v1=${digest}` };
    const path = `/assessments/submissions/${id}/auto-grade`;
    expect(await world.as().request("POST", path, { score: 21 }, { headers })).toMatchObject(over);
    const csv = `user_id,${lab.id},${paper.id}\n${learner.id},21,80`;
    const imported = await world.as(teacher).post(`${here}/gradebook/import`, { csv, reason: "x" });
    expect(imported.body).toMatchObject({ changed: 1, refused: 1 });
    expect(imported.body.results).toContainEqual(
      expect.objectContaining({ content_item_id: lab.id, outcome: "REFUSED", detail: over.body.detail }),
    );
    expect((await grade(id, 20)).status).toBe(200);
    expect((await setScore(opened, learner.id, 20)).status).toBe(200);
  });

  it("may exceed the points by the item's extra credit", async () => {
    const opened = await openLab(world, { grading: { max_points: 20, extra_points: 2.5 } });
    const { submit, grade, learner, lab, paper, gradebook } = opened;
    const { id } = (await submit({ body: "x" })).body;
    expect((await grade(id, 22.51)).body.detail).toBe(`'${lab.title}' can give at most 22.5 points`);
    expect((await grade(id, 22.5)).body).toMatchObject({ score_obtained: 22.5, max_score: 20 });
    expect((await setScore(opened, learner.id, 81, paper)).body.detail).toBe(
      `'${paper.title}' can give at most 80 points`,
    );
    const { columns, rows } = (await gradebook()).body;
    expect(columns[0]).toMatchObject({ max_points: 20, extra_points: 2.5 });
    expect(rows[0]).toMatchObject({ current_percent: 112.5, cells: [{ score: 22.5 }, {}] });
    for (const extra_points of [-1, 10_000])
      expect((await change(opened, points(20, { extra_points }))).body.detail).toMatchObject([
        { loc: ["body", "data_json", "grading", "extra_points"] },
      ]);
  });
});

describe("a change of the points of an item with scores", () => {
  it("must state what happens to the scores", async () => {
    const opened = await openScores();
    const { lab } = opened;
    const refused = await change(opened, points(10));
    expect([refused.status, refused.body.detail]).toEqual([
      400,
      "The item has scores. Set rescale to true (scale them to the new points) or to false (keep them)",
    ]);
    expect(await scores(opened)).toEqual([15, 18]);
    // Points that do not change need no confirmation.
    expect((await change(opened, { ...points(20), title: "Spectra" })).status).toBe(200);
    expect((await change(opened, { title: lab.title })).status).toBe(200);
  });

  it("scale them all, each in the changes, and leave final grades", async () => {
    const opened = await openScores();
    const { finalize, here, assistant, gradebook, submission, read, lab } = opened;
    await finalize();
    const former = (await gradebook()).body.rows.map(({ final }: { final: object }) => final);
    const scaled = await change(opened, { ...points(10), rescale: true });
    expect(scaled.status).toBe(200);
    expect(scaled.body).not.toHaveProperty("rescale");
    expect(await scores(opened)).toEqual([7.5, 9]);
    expect((await read(submission, assistant)).body).toMatchObject({ score_obtained: 7.5, max_score: 10 });
    expect((await gradebook()).body.rows.map(({ final }: { final: object }) => final)).toMatchObject(former);
    const changes = (await world.as(assistant).get(`${here}/grade-changes?content_item_id=${lab.id}`)).body;
    expect(
      changes
        .filter(({ kind }: { kind: string }) => kind === "points_changed")
        .map(({ former, current, changed_by_user_id }: Record<string, { score: number }>) => [
          ...[former?.score, current?.score, changed_by_user_id],
        ]),
    ).toEqual([
      [18, 9, opened.teacher.id],
      [15, 7.5, opened.teacher.id],
    ]);
  });

  it("keeps them if requested, and is rejected if one would exceed the points", async () => {
    const opened = await openScores();
    const over = await change(opened, { ...points(17), rescale: false });
    expect([over.status, over.body.detail]).toEqual([
      400,
      "An existing score would exceed the points of the item",
    ]);
    expect((await change(opened, { ...points(17, { extra_points: 1 }), rescale: false })).status).toBe(200);
    expect(await scores(opened)).toEqual([15, 18]);
    expect((await change(opened, points(17))).body.detail, "no extra points").toBe(over.body.detail);
    await change(opened, { ...points(40), rescale: false });
    expect(await scores(opened)).toEqual([15, 18]);
    expect((await opened.gradebook()).body.columns[0].max_points).toBe(40);
  });

  it("make another version of a cell", async () => {
    const opened = await openScores();
    const version = async () =>
      (await opened.gradebook()).body.rows.map(
        (row: { cells: [{ version: number }] }) => row.cells[0].version,
      );
    expect(await version()).toEqual([1, 1]);
    await change(opened, { ...points(10), rescale: true });
    expect(await version()).toEqual([2, 2]);
  });

  it("scales quiz attempts in both cases, and reports it", async () => {
    const { start, submit, right, item, teacher, assistant, offering, pool } = await openQuiz(world);
    const { id } = (await start()).body;
    await submit(id, right.slice(0, 2));
    const here = `/assessments/offerings/${offering.id}`;
    const cell = async () => (await world.as(assistant).get(`${here}/gradebook`)).body.rows[0].cells[0];
    const before = await cell();
    const put = (body: object) =>
      world.as(teacher).put(`/content/${item.id}`, {
        data_json: { question_pool_id: pool.id, mastery: { points: 10 } },
        ...body,
      });
    expect((await put({})).status).toBe(400);
    expect((await put({ rescale: false })).status).toBe(200);
    expect(await cell()).toMatchObject({ score: before.score / 10, version: before.version + 1 });
    const [first] = (await world.as(assistant).get(`${here}/grade-changes`)).body;
    expect(first).toMatchObject({
      kind: "points_changed",
      former: { score: before.score, max_score: 100 },
      current: { score: before.score / 10, max_score: 10 },
    });
  });

  it("needs no statement if there are no scores", async () => {
    const opened = await openLab(world);
    await opened.submit({ body: "x" });
    expect((await change(opened, points(10))).status).toBe(200);
  });
});

describe("an item with results", () => {
  it("keeps its content type", async () => {
    const text = await textType();
    for (const begin of [
      (opened: Lab) => opened.submit({ body: "x" }),
      (opened: Lab) => setScore(opened, opened.learner.id, 1),
    ]) {
      const opened = await openLab(world);
      await begin(opened);
      const refused = await change(opened, { content_type_id: text.id, data_json: {} });
      expect([refused.status, refused.body.detail]).toEqual([
        400,
        "The item has attempts, work or scores, so its content type cannot change",
      ]);
      expect((await opened.gradebook()).body.columns).toHaveLength(2);
    }
    const quiz = await openQuiz(world);
    await quiz.start();
    const put = (item: { id: number }) =>
      world.as(quiz.teacher).put(`/content/${item.id}`, { content_type_id: text.id, data_json: {} });
    expect((await put(quiz.item)).status).toBe(400);
    const fresh = await openLab(world);
    expect((await change(fresh, { content_type_id: text.id, data_json: {} })).status).toBe(200);
  });
});

describe("a setting without effect on a quiz", () => {
  it("is rejected at its field", async () => {
    const { item, teacher, pool, course, module } = await openQuiz(world);
    const put = (data: object) =>
      world.as(teacher).put(`/content/${item.id}`, { data_json: { question_pool_id: pool.id, ...data } });
    for (const [path, values] of [
      ["time_limit_seconds", [-5, 0, 1.5]],
      ["num_questions_per_attempt", [0, -1, 2.5]],
      ["mastery.max_attempts", [0, -1, 0.5]],
      ["mastery.threshold_correct_in_row", [0, -1]],
      ["mastery.points", [-1, 10_000]],
      ["passing_percent", [-1, 101]],
    ] as const)
      for (const value of values) {
        const [first = "", second] = path.split(".");
        const data = second ? { [first]: { [second]: value } } : { [first]: value };
        const refused = await put(data);
        expect([refused.status, refused.body.detail?.[0]?.loc], `${path} ${value}`).toEqual([
          422,
          ["body", "data_json", ...path.split(".")],
        ]);
        const created = await world.as(teacher).post("/content", {
          ...{ course_id: course.id, module_id: module.id, content_type_id: item.content_type_id },
          ...{ title: "x", data_json: data },
        });
        expect(created.status, path).toBe(422);
      }
    expect((await put({ time_limit_seconds: null, mastery: { max_attempts: null } })).status).toBe(200);
    expect((await put({ time_limit_seconds: 1, mastery: { max_attempts: 1, points: 0 } })).status).toBe(200);
  });

  it("is rejected for a lab too", async () => {
    const opened = await openLab(world);
    for (const max_attempts of [0, -1, 1.5])
      expect((await change(opened, { data_json: { max_attempts } })).body.detail).toMatchObject([
        { loc: ["body", "data_json", "max_attempts"] },
      ]);
  });
});

describe("concurrent requests", () => {
  it("a concurrent grade is for the former points and scaled, or for the new ones", async () => {
    const opened = await openLab(world);
    const { grade, submit, read, assistant, lab, learner } = opened;
    const { id } = (await submit({ body: "x" })).body;
    await grade(id, 20);
    for (let round = 0; round < 8; round += 1) {
      const [from, to] = round % 2 ? [10, 20] : [20, 10];
      const both = [
        () => change(opened, { ...points(to), rescale: true }),
        () => grade(id, from),
        () => setScore(opened, learner.id, from, lab),
      ];
      const replies = await Promise.all((round % 4 < 2 ? both : both.toReversed()).map((ask) => ask()));
      const changed = replies[round % 4 < 2 ? 0 : 2];
      expect(changed?.status).toBe(200);
      for (const { status, body } of replies)
        if (status !== 200) expect(body.detail).toBe(`'${lab.title}' can give at most ${to} points`);
      const stored = (await read(id, assistant)).body;
      expect(stored.max_score).toBe(to);
      expect([to, to / 2]).toContain(stored.score_obtained);
      const { columns, rows } = (await opened.gradebook()).body;
      expect(rows[0].cells[0].score).toBeLessThanOrEqual(columns[0].max_points);
    }
  });

  it("of a concurrent unscaled score and fewer points, one is rejected", async () => {
    const opened = await openLab(world);
    const { learner, gradebook } = opened;
    for (let round = 0; round < 6; round += 1) {
      await setScore(opened, learner.id, 5);
      const both = [
        () => change(opened, { ...points(10), rescale: false }),
        () => setScore(opened, learner.id, 15),
      ];
      const replies = await Promise.all((round % 2 ? both : both.toReversed()).map((ask) => ask()));
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 400]);
      const { columns, rows } = (await gradebook()).body;
      expect(rows[0].cells[0].score).toBeLessThanOrEqual(columns[0].max_points);
      await setScore(opened, learner.id, 5);
      await change(opened, { ...points(20), rescale: false });
    }
  });

  it("a first attempt and another type meet: the item has one of them", async () => {
    const text = await textType();
    for (let round = 0; round < 8; round += 1) {
      const { start, item, teacher } = await openQuiz(world);
      const both = [
        () => world.as(teacher).put(`/content/${item.id}`, { content_type_id: text.id, data_json: {} }),
        () => start(),
      ];
      const order = round % 2 ? both : both.toReversed();
      const replies = await Promise.all(order.map((ask) => ask()));
      const [changed, started] = round % 2 ? replies : replies.toReversed();
      expect([`${changed?.status} ${started?.status}`]).toEqual([
        expect.stringMatching(/^(200 404|400 201)$/),
      ]);
    }
  });

  it("first work and another type meet: the item has one of them", async () => {
    const text = await textType();
    for (let round = 0; round < 8; round += 1) {
      const opened = await openLab(world);
      const both = [
        () => change(opened, { content_type_id: text.id, data_json: {} }),
        () => opened.submit({ body: "x" }),
      ];
      const order = round % 2 ? both : both.toReversed();
      const replies = await Promise.all(order.map((ask) => ask()));
      const [changed, submitted] = round % 2 ? replies : replies.toReversed();
      expect([`${changed?.status} ${submitted?.status}`]).toEqual([
        expect.stringMatching(/^(200 404|400 201)$/),
      ]);
    }
  });
});
