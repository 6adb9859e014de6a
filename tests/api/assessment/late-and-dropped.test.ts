import { beforeEach, describe, expect, it } from "vitest";
import { openLab } from "../../support/lab.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

const due_at = "2026-03-10T12:00:00.000Z";
const hoursLate = (hours: number) => world.setNow(new Date(Date.parse(due_at) + hours * 3_600_000));

beforeEach(() => hoursLate(0));

type Cell = { score: number | null; version: number };

/** A lab of 20 points with a due date, in an offering that deducts ten percent per late day. */
async function openLate(scheme: object = { late_percent_per_day: 10, max_late_days: 3 }, data: object = {}) {
  const opened = await openLab(world, { due_at, ...data });
  const { here, teacher, learner, offering } = opened;
  const put = (body: object) => world.as(teacher).put(`${here}/grading-scheme`, body);
  expect((await put({ release_mode: "AUTOMATIC", ...scheme })).status).toBe(200);
  /** Submits the learner's work so many hours late and grades it. */
  const graded = async (hours: number, score: number, item = opened.lab) => {
    hoursLate(hours);
    const { id } = (await opened.submit({ body: `${hours} hours late` }, learner, item)).body;
    return (await opened.grade(id, score)).body;
  };
  const row = async () => (await opened.gradebook()).body.rows[0];
  const cell = async (): Promise<Cell> => (await row()).cells[0];
  const own = async () => (await opened.mine()).body;
  const setDates = (dates: object[]) =>
    world.as(teacher).put(`/courses/${opened.course.id}/offerings/${offering.id}/dates`, { dates });
  return { ...opened, put, graded, row, cell, own, setDates };
}

describe("work that is late", () => {
  it("loses points for each day that has begun, and keeps its original score", async () => {
    const { graded, cell, own, read, lab, learner, course, offering } = await openLate();
    const work = await graded(25, 15);
    const late = { late_days: 2, late_deduction: 4 };
    expect(work).toMatchObject({ score_obtained: 15, is_late: true, ...late });
    expect(await cell()).toMatchObject({ score: 11, state: "GRADED", is_dropped: false, ...late });
    const { items, current_percent } = await own();
    expect(items[0]).toMatchObject({ score: 11, late_percent_per_day: 10, max_late_days: 3, ...late });
    expect(current_percent).toBe(55);
    expect((await read(work.id)).body).toMatchObject({ score_obtained: 15, ...late });
    const listed = await world.as(learner).get(`/assessments/my-submissions?content_item_id=${lab.id}`);
    expect(listed.body).toMatchObject([{ score_obtained: 15, ...late }]);
    const outline = await world.as(learner).get(`/courses/${course.id}/offerings/${offering.id}/outline`);
    const shown = outline.body.modules.flatMap(({ items: all }: { items: { id: number }[] }) => all);
    expect(shown.find(({ id }: { id: number }) => id === lab.id)).toMatchObject({ attempt: { score: 11 } });
  });

  it("is accepted for a number of days, by the item's policy if it has one", async () => {
    const { submit, graded, cell } = await openLate();
    hoursLate(73);
    expect((await submit({ body: "x" })).body.detail).toBe(
      "The deadline has passed, and late submissions are no longer accepted",
    );
    expect((await graded(72, 20)).late_deduction).toBe(6);
    expect((await cell()).score).toBe(14);
    const own = await openLate(undefined, { late_percent_per_day: 0, max_late_days: 30 });
    expect(await own.graded(24 * 29, 20)).toMatchObject({ late_days: 29, late_deduction: 0 });
    expect((await own.cell()).score).toBe(20);
  });

  it("is re-evaluated after a later date, an accommodation or another policy", async () => {
    const opened = await openLate();
    const { graded, cell, setDates, lab, put, university, learner, finalize, row, teacher } = opened;
    await graded(50, 20);
    const before = await cell();
    expect(before).toMatchObject({ score: 14, late_days: 3 });
    await finalize({});
    expect((await row()).final).toMatchObject({ final_score: 14, is_outdated: false });
    const admin = await make.holder("university_admin", university.id);
    await world.as(admin).post(`/universities/${university.id}/offices`, {
      user_id: teacher.id,
      right: "accommodation:write",
    });
    const granted = await world.as(teacher).put(`/universities/${university.id}/accommodations`, {
      user_id: learner.id,
      time_factor: 1,
      extra_days: 1,
    });
    expect(granted.status).toBe(200);
    expect(await cell()).toMatchObject({ score: 16, late_days: 2, version: before.version + 1 });
    expect((await row()).final).toMatchObject({ final_score: 14, is_outdated: true });
    await setDates([{ content_item_id: lab.id, due_at: "2026-03-11T12:00:00.000Z" }]);
    expect(await cell()).toMatchObject({ score: 18, late_days: 1 });
    await put({ late_percent_per_day: 50 });
    expect(await cell()).toMatchObject({ score: 10, version: before.version + 3 });
    await setDates([{ content_item_id: lab.id, due_at: null }]);
    expect(await cell()).toEqual({ score: 20, state: "GRADED", version: expect.any(Number) });
  });

  it("counts as staff override it, for the item and then for the course", async () => {
    const { graded, cell, row, here, teacher, learner, lab, finalize } = await openLate();
    await graded(25, 20);
    const cells = `${here}/grades/${learner.id}`;
    await world.as(teacher).put(`${cells}/items/${lab.id}`, { score: 19, reason: "On paper" });
    expect(await cell()).toMatchObject({ score: 19, state: "OVERRIDDEN" });
    await world.as(teacher).put(cells, { score: 77, reason: "A word" });
    await finalize({ include_awaiting: true });
    expect((await row()).final).toMatchObject({ final_score: 77 });
  });

  it("is hidden from its learner with its grade until that is released", async () => {
    const { graded, own, read, release } = await openLate({
      ...{ release_mode: "MANUAL", late_percent_per_day: 10, drop_lowest: 1 },
    });
    const { id } = await graded(25, 15);
    const shown = async () => [(await own()).items[0], (await read(id)).body];
    const [item, work] = await shown();
    expect(item).toMatchObject({ score: null, state: null, late_days: null, late_deduction: null });
    expect(work).toMatchObject({ score_obtained: null, late_deduction: null, late_days: 2 });
    await release();
    expect((await shown()).map(({ late_deduction }) => late_deduction)).toEqual([4, 4]);
  });

  it("is not overwritten by an import of an export from before another policy, which is rejected", async () => {
    const { graded, put, gradebook, here, teacher, cell } = await openLate();
    await graded(25, 20);
    const { text } = await gradebook("?format=csv");
    await put({ late_percent_per_day: 5 });
    const imported = await world.as(teacher).post(`${here}/gradebook/import`, { csv: text, reason: "x" });
    expect(imported.body).toMatchObject({ changed: 0, refused: 1 });
    expect(await cell()).toMatchObject({ score: 18, state: "GRADED" });
  });
});

describe("the lowest that are dropped", () => {
  it("are chosen within a group, shown to staff and learner, and change once missing work counts as zero", async () => {
    const { graded, put, row, own, lab, paper, finalize, learner, here, teacher } = await openLate({});
    const group = { name: "All", weight: 100, content_item_ids: [lab.id, paper.id], drop_lowest: 1 };
    expect((await put({ groups: [group] })).body.groups).toEqual([group]);
    await graded(0, 10);
    const marks = async () => [
      (await row()).cells.map((one: { is_dropped?: boolean }) => one.is_dropped === true),
      (await own()).items.map((one: { is_dropped: boolean }) => one.is_dropped),
    ];
    expect(await marks()).toEqual([
      [false, false],
      [false, false],
    ]);
    await finalize({});
    expect((await row()).final).toMatchObject({ final_score: 50, is_outdated: false });
    expect(await marks()).toEqual([
      [false, true],
      [false, true],
    ]);
    await world.as(teacher).post(`${here}/grades/reopen`, { reason: "More came" });
    await graded(0, 80, paper);
    expect(await marks()).toEqual([
      [true, false],
      [true, false],
    ]);
    expect(await row()).toMatchObject({ current_percent: 100, final_percent: 100 });
    await world
      .as(teacher)
      .put(`${here}/grades/${learner.id}/items/${paper.id}`, { is_excused: true, reason: "Ill" });
    expect((await marks())[0]).toEqual([false, false]);
    expect(await row()).toMatchObject({ current_percent: 50, final_percent: 50 });
  });

  it("outdate no final grade that they are no part of", async () => {
    const { graded, row, finalize, submit, grade, paper, learner } = await openLate({ drop_lowest: 1 });
    await graded(0, 20);
    const { id } = (await submit({ body: "waits" }, learner, paper)).body;
    await finalize({ include_awaiting: true });
    await grade(id, 8);
    expect((await row()).final).toMatchObject({ final_score: 100, is_outdated: false });
  });
});

it("a scheme rejects policies without effect, and keeps absent fields", async () => {
  const { put, here, learner, lab } = await openLate({
    late_percent_per_day: 10,
    max_late_days: 3,
    drop_lowest: 2,
  });
  for (const faulty of [
    { late_percent_per_day: -1 },
    { late_percent_per_day: 100.5 },
    { late_percent_per_day: 0.001 },
    { late_percent_per_day: "ten" },
    { max_late_days: 1.5 },
    { max_late_days: 366 },
    { drop_lowest: -1 },
    { drop_lowest: null },
    { groups: [{ name: "x", weight: 1, content_item_ids: [lab.id], drop_lowest: 201 }] },
  ])
    expect((await put(faulty)).status, JSON.stringify(faulty)).toBe(422);
  const rules = { late_percent_per_day: 10, max_late_days: 3, drop_lowest: 2 };
  expect((await put({ passing_percent: 50 })).body).toMatchObject(rules);
  expect((await put({ late_percent_per_day: null })).body).toMatchObject({
    ...rules,
    late_percent_per_day: null,
  });
  expect((await world.as(learner).get(`${here}/grading-scheme`)).body).toMatchObject({ max_late_days: 3 });
});
