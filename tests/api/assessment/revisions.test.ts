import { beforeEach, describe, expect, it } from "vitest";
import { openLab } from "../../support/lab.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

const due_at = "2026-03-10T12:00:00.000Z";
const hoursLate = (hours: number) => world.setNow(new Date(Date.parse(due_at) + hours * 3_600_000));

beforeEach(() => hoursLate(-1));

/** A lab of 20 points with a due date; late work loses a tenth per day. */
async function openRevisions(data: object = {}) {
  const opened = await openLab(world, { due_at, ...data });
  const { here, teacher, course, offering, learner } = opened;
  await world
    .as(teacher)
    .put(`${here}/grading-scheme`, { release_mode: "AUTOMATIC", late_percent_per_day: 10 });
  let number = 0;
  const handIn = async (hours: number, person = learner) => {
    hoursLate(hours);
    number += 1;
    return opened.submit({ body: `Version ${number}` }, person);
  };
  return {
    ...opened,
    handIn,
    /** Hands in, and staff return it. */
    revise: async (hours: number, person = learner) => {
      const { id } = (await handIn(hours, person)).body;
      expect((await opened.giveBack(id, "Once more")).status).toBe(200);
    },
    setDue: (due: string) =>
      world.as(teacher).put(`/courses/${course.id}/offerings/${offering.id}/dates`, {
        dates: [{ content_item_id: opened.lab.id, due_at: due }],
      }),
    score: async () => (await opened.gradebook()).body.rows[0].cells[0],
  };
}

describe("work that staff return for revision", () => {
  it("is not late when it comes again, if its first submission was on time", async () => {
    const { handIn, revise, grade, score } = await openRevisions();
    await revise(-1);
    await revise(30);
    const again = await handIn(80);
    expect(again.body).toMatchObject({ is_late: false, due_at });
    expect((await grade(again.body.id, 20)).body).toMatchObject({ late_days: 0, late_deduction: 0 });
    expect(await score()).toMatchObject({ score: 20, state: "GRADED" });
  });

  it("is late when it comes again, if its first submission was late", async () => {
    const { handIn, revise, grade, score } = await openRevisions();
    await revise(1);
    const again = await handIn(30);
    expect(again.body).toMatchObject({ is_late: true });
    await grade(again.body.id, 20);
    expect(await score()).toMatchObject({ score: 16, late_days: 2 });
  });

  it("is accepted after the last day for late work, and a further attempt that nobody asked for is not", async () => {
    for (const rule of [{ accepts_late: false }, { max_late_days: 1 }]) {
      const { handIn, revise, grade } = await openRevisions(rule);
      await revise(-1);
      const again = await handIn(80);
      expect([again.status, again.body.is_late]).toEqual([201, false]);
      await grade(again.body.id, 20);
      expect((await handIn(81)).status).toBe(400);
    }
  });

  it("may be replaced before it is graded, and an attempt after the grade is late", async () => {
    const { handIn, revise, grade } = await openRevisions();
    await revise(-1);
    await handIn(30);
    const { id, is_late } = (await handIn(31)).body;
    expect(is_late).toBe(false);
    await grade(id, 20);
    expect((await handIn(32)).body).toMatchObject({ is_late: true });
  });

  it("stays on time after a later due date, and a late one becomes so", async () => {
    const onTime = await openRevisions();
    await onTime.revise(-1);
    const { id } = (await onTime.handIn(50)).body;
    const late = await openRevisions();
    await late.revise(1);
    const other = (await late.handIn(50)).body.id;
    for (const opened of [onTime, late])
      expect((await opened.setDue("2026-03-10T14:00:00.000Z")).status).toBe(200);
    expect((await onTime.read(id)).body).toMatchObject({ is_late: false });
    expect((await late.read(other)).body).toMatchObject({ is_late: false });
  });
});

describe("group work that is returned for revision", () => {
  it("is late for no member, not even one who joined after the first submission", async () => {
    const opened = await openRevisions({ group_submission: true });
    const { offering, teacher, learner, handIn, revise } = opened;
    const [mate, newcomer] = [await make.person(), await make.person()];
    for (const person of [mate, newcomer]) await make.enrollment(person.id, offering.id);
    const groups = `/offerings/${offering.id}/groups`;
    const group = (await world.as(teacher).post(groups, { name: "A" })).body;
    const join = (person: { id: number }) =>
      world.as(teacher).put(`${groups}/${group.id}/members/${person.id}`, {});
    for (const person of [learner, mate]) expect((await join(person)).status).toBeLessThan(300);
    await revise(-1);
    hoursLate(10);
    expect((await join(newcomer)).status).toBeLessThan(300);
    expect((await handIn(30, mate)).body.is_late).toBe(false);
    for (const person of [learner, mate, newcomer]) {
      hoursLate(31);
      const own = await world.as(person).get(`/assessments/my-submissions?content_item_id=${opened.lab.id}`);
      expect(own.body[0]).toMatchObject({ is_late: false, late_days: 0 });
    }
  });
});
