import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { contentItems } from "../../../schema/db/courses/content-items.ts";
import { openLab } from "../../support/lab.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();

beforeAll(() => world.setNow("2026-03-10T12:00:00.000Z"));

const levels = (...points: number[]) =>
  points.map((one, at) => ({ id: `level ${at}`, title: `${at + 1} of ${points.length}`, points: one }));
const rubric = {
  criteria: [
    { id: "argument", title: "The argument", description: "In steps", levels: levels(12, 6, 0) },
    { id: "units", title: "Units", levels: levels(8, 4) },
  ],
};
const best = [
  { criterion_id: "argument", level_id: "level 0" },
  { criterion_id: "units", level_id: "level 1", comment: "One is missing" },
];

async function openJudged() {
  const opened = await openLab(world, { rubric });
  const { lab, teacher, assistant, submit } = opened;
  const { id } = (await submit({ body: "x" })).body;
  const write = (data: object, more = {}) =>
    world
      .as(teacher)
      .put(`/content/${lab.id}`, { data_json: { grading: { max_points: 20 }, ...data }, ...more });
  const judge = (body: object) => world.as(assistant).put(`/assessments/submissions/${id}/grade`, body);
  return { ...opened, id, write, judge };
}

describe("a rubric", () => {
  it("is visible to learners, and has criteria with levels of distinct ids", async () => {
    const { write, lab, learner } = await openJudged();
    const read = await world.as(learner).get(`/content/${lab.id}`);
    expect(read.body.data_json.rubric).toEqual(rubric);
    const [first, second] = rubric.criteria;
    for (const faulty of [
      { criteria: [] },
      { criteria: [first, first] },
      { criteria: [{ ...first, levels: [] }] },
      { criteria: [{ ...first, levels: [...levels(1), ...levels(2)] }] },
      { criteria: [{ ...first, levels: [{ id: "x", title: "x", points: -1 }] }] },
      { criteria: [{ ...first, levels: [{ id: "x", title: "x" }] }] },
      { criteria: [{ ...first, id: "" }] },
      { criteria: Array.from({ length: 51 }, (_, at) => ({ ...second, id: `${at}` })) },
      "none",
    ])
      expect((await write({ rubric: faulty })).status, JSON.stringify(faulty).slice(0, 90)).toBe(422);
  });

  it("proposes the sum of the chosen levels, which a grade may override with another score", async () => {
    const { judge, read, id, release, here, assistant, learner } = await openJudged();
    expect((await judge({ rubric: best })).body).toMatchObject({
      score_obtained: 16,
      rubric: [
        {
          criterion_id: "argument",
          title: "The argument",
          level: "1 of 3",
          points: 12,
          most: 12,
          comment: null,
        },
        { criterion_id: "units", level: "2 of 2", points: 4, most: 8, comment: "One is missing" },
      ],
    });
    expect((await read(id)).body).toMatchObject({ rubric: null, score_obtained: null });
    await release();
    expect((await read(id)).body.rubric).toHaveLength(2);
    expect((await judge({ score_obtained: 15 })).body).toMatchObject({
      score_obtained: 15,
      rubric: [{ points: 12 }, { points: 4 }],
    });
    expect((await judge({ score_obtained: 15, rubric: best.slice(1) })).body.rubric).toHaveLength(1);
    const changes = await world.as(assistant).get(`${here}/grade-changes?user_id=${learner.id}`);
    expect(changes.body.map((one: { current: { rubric: object[] } }) => one.current.rubric.length)).toEqual([
      1, 2, 2,
    ]);
    expect((await judge({ score_obtained: 15, rubric: null })).body.rubric).toBeNull();
  });

  it("needs current levels in a grade, and all criteria if it gives the score", async () => {
    const { judge, lab } = await openJudged();
    const refused = async (body: object) => {
      const { status, body: told } = await judge(body);
      return [status, status === 422 ? told.detail[0].loc.slice(1) : told.detail];
    };
    expect(await refused({})).toEqual([422, ["score_obtained"]]);
    expect(await refused({ rubric: [] })).toEqual([422, ["rubric"]]);
    expect(await refused({ rubric: [best[0], best[0]] })).toEqual([422, ["rubric"]]);
    expect(await refused({ rubric: best.slice(1) })).toEqual([
      400,
      "Give score_obtained, or a level for each criterion of the rubric",
    ]);
    expect(
      await refused({ score_obtained: 1, rubric: [best[0], { ...best[1], level_id: "level 9" }] }),
    ).toEqual([400, "rubric.1 is not a current level of the item's rubric"]);
    const generous = { criteria: [{ ...rubric.criteria[0], levels: levels(99) }] };
    await world.deps.db
      .update(contentItems)
      .set({ data_json: { grading: { max_points: 20 }, rubric: generous } })
      .where(eq(contentItems.id, lab.id));
    expect((await refused({ rubric: best.slice(0, 1) }))[1]).toMatch(/can give at most 20 points$/);
  });

  it("that changes leaves earlier grades unchanged, and a returned submission has none", async () => {
    const { judge, write, read, id, assistant, giveBack } = await openJudged();
    await judge({ rubric: best });
    const kept = (await read(id, assistant)).body.rubric;
    const words = { criteria: [{ ...rubric.criteria[0], title: "Logic", levels: levels(10, 5) }] };
    expect((await write({ rubric: words })).status).toBe(200);
    expect((await read(id, assistant)).body).toMatchObject({ rubric: kept, score_obtained: 16 });
    expect((await judge({ rubric: best })).body.detail).toMatch(/^rubric\.1 is not a current level/);
    expect((await judge({ rubric: best.slice(0, 1) })).body).toMatchObject({
      score_obtained: 10,
      rubric: [{ title: "Logic", points: 10, most: 10 }],
    });
    expect((await giveBack(id, "Once more")).body.rubric).toBeNull();
  });

  it("is scaled with the points of its item, and so are the levels that were chosen", async () => {
    const { judge, write, read, id, assistant } = await openJudged();
    await judge({ rubric: best });
    const half = await write({ grading: { max_points: 10 }, rubric }, { rescale: true });
    expect(
      half.body.data_json.rubric.criteria[0].levels.map((one: { points: number }) => one.points),
    ).toEqual([6, 3, 0]);
    expect((await read(id, assistant)).body).toMatchObject({
      score_obtained: 8,
      max_score: 10,
      rubric: [
        { points: 6, most: 6 },
        { points: 2, most: 4 },
      ],
    });
    const same = half.body.data_json.rubric;
    expect((await write({ grading: { max_points: 20 }, rubric: same }, { rescale: false })).status).toBe(200);
    expect((await read(id, assistant)).body).toMatchObject({
      score_obtained: 8,
      rubric: [{ points: 6 }, {}],
    });
  });

  it("and a grade race: a grader's choice during a change applies to one version of it", async () => {
    for (let round = 0; round < 4; round += 1) {
      const { judge, write } = await openJudged();
      const other = { criteria: [{ ...rubric.criteria[0], levels: levels(10, 5) }, rubric.criteria[1]] };
      const [graded, written] = await Promise.all([judge({ rubric: best }), write({ rubric: other })]);
      expect([graded.status, written.status]).toEqual([200, 200]);
      const { score_obtained, rubric: kept } = graded.body;
      expect(kept[0].points + kept[1].points).toBe(score_obtained);
      expect([14, 16]).toContain(score_obtained);
    }
  });
});
