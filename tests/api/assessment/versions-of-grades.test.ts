import { beforeEach, describe, expect, it } from "vitest";
import { openLab } from "../../support/lab.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";
import { openQuiz } from "./exam.ts";

const world = openWorld();
const make = makersOf(world);

beforeEach(() => world.setNow("2026-03-10T12:00:00.000Z"));

const ifMatch = (version: number | string) => ({
  headers: { "if-match": typeof version === "number" ? `"${version}"` : version },
});

async function openBook() {
  const opened = await openLab(world);
  const { here, assistant, teacher, other, learner, lab } = opened;
  const cell = `${here}/grades/${learner.id}/items/${lab.id}`;
  return {
    ...opened,
    set: (score: number, version?: number | string, person = assistant) =>
      world
        .as(person)
        .put(cell, { score, reason: "On paper" }, version === undefined ? {} : ifMatch(version)),
    setCourse: (score: number | null, version?: number) =>
      world
        .as(teacher)
        .put(
          `${here}/grades/${learner.id}`,
          { score, reason: "Viva" },
          version === undefined ? {} : ifMatch(version),
        ),
    scheme: `${here}/grading-scheme`,
    row: async () => (await opened.gradebook()).body.rows[0],
    other,
  };
}

describe("a cell of the gradebook", () => {
  it("has a version that grows with each score, excuse, grade and regrade, and with nothing else", async () => {
    const { set, row, submit, grade, giveBack, here, assistant, learner, lab } = await openBook();
    const version = async () => (await row()).cells[0].version;
    expect(await version()).toBe(0);
    expect((await set(18)).body).toEqual({
      ...{ user_id: learner.id, content_item_id: lab.id, score: 18, is_excused: false, version: 1 },
    });
    expect((await set(18)).body.version, "the same again").toBe(1);
    const { id } = (await submit({ body: "x" })).body;
    expect(await version(), "handed in").toBe(1);
    await grade(id, 15);
    expect(await version()).toBe(2);
    await grade(id, 15);
    expect(await version(), "the same again").toBe(2);
    await grade(id, 16);
    expect(await version()).toBe(3);
    await giveBack(id, "Once more");
    expect(await version()).toBe(4);
    const excused = { is_excused: true, reason: "Ill" };
    const path = `${here}/grades/${learner.id}/items/${lab.id}`;
    expect((await world.as(assistant).put(path, excused)).body.version).toBe(5);
    expect(await version()).toBe(5);
  });

  it("is set as it was looked at, or not at all", async () => {
    const { set, row, learner, lab } = await openBook();
    expect((await set(18, 0)).body).toMatchObject({ score: 18, version: 1 });
    const late = await set(12, 0);
    expect(late.status).toBe(412);
    expect(late.body).toEqual({
      detail: "This has changed since you read it. Look at its current state",
      current: {
        ...{ user_id: learner.id, content_item_id: lab.id, score: 18, is_excused: false, version: 1 },
      },
    });
    expect((await row()).cells[0]).toMatchObject({ score: 18, version: 1 });
    for (const [header, status] of [
      ['W/"1"', 412],
      ['"5", "6"', 412],
      ["1", 422],
      ['"0", "1"', 200],
      ["*", 200],
    ] as const)
      expect((await set(status === 200 ? 13 : 14, header)).status, header).toBe(status);
    expect((await set(1, "1")).body.detail).toMatchObject([
      { loc: ["header", "if-match"], type: "value_error" },
    ]);
    expect((await set(11)).status, "without a condition").toBe(200);
  });

  it("reports a missing, forbidden or final cell before a version conflict", async () => {
    const { set, finalize, learner, here, lab, other } = await openBook();
    const stranger = await make.person();
    const put = (person: { id: number }, who: number) =>
      world.as(person).put(`${here}/grades/${who}/items/${lab.id}`, { score: 1, reason: "x" }, ifMatch(9));
    expect((await put(stranger, learner.id)).status).toBe(403);
    expect((await put(other, stranger.id)).status).toBe(404);
    await finalize();
    expect((await set(1, 9)).body.detail).toBe("The grade of this course is final");
  });

  it("has a greater version once a quiz is graded, and again when a regrade makes it another result", async () => {
    const { start, submit, right, quiz, offering, assistant, teacher, questions } = await openQuiz(world);
    const version = async () => {
      const book = await world.as(assistant).get(`/assessments/offerings/${offering.id}/gradebook`);
      return book.body.rows[0].cells[0].version;
    };
    const { id } = (await start()).body;
    expect(await version(), "begun").toBe(0);
    await submit(id, right);
    expect(await version()).toBe(1);
    const regrade = () => world.as(teacher).post(`${quiz}/regrade`);
    await regrade();
    expect(await version(), "the same again").toBe(1);
    await world.as(teacher).put(`/assessments/questions/${questions[0]?.id}`, { answer: { option_id: "C" } });
    await regrade();
    expect(await version()).toBe(2);
  });
});

describe("the grade of a course", () => {
  it("is set as it was looked at, or not at all", async () => {
    const { setCourse, row, finalize, reopen, learner, offering } = await openBook();
    expect((await row()).version).toBe(0);
    expect((await setCourse(80, 0)).body).toEqual({
      ...{ user_id: learner.id, course_offering_id: offering.id, score: 80, version: 1 },
    });
    const late = await setCourse(70, 0);
    expect([late.status, late.body.current]).toEqual([412, (await setCourse(80)).body]);
    expect(await row()).toMatchObject({ score_override: 80, version: 1 });
    await finalize();
    await reopen();
    expect((await setCourse(null, 1)).body).toMatchObject({ score: null, version: 2 });
  });
});

describe("a grading scheme", () => {
  it("is set and taken back as it was looked at, or not at all", async () => {
    const { scheme, teacher, learner } = await openBook();
    const read = async () => (await world.as(learner).get(scheme)).body;
    const put = (passing_percent: number, version: number) =>
      world.as(teacher).put(scheme, { passing_percent }, ifMatch(version));
    expect(await read()).toMatchObject({ is_graded: false, version: 0 });
    const first = (await put(50, 0)).body;
    expect(first.version).toBeGreaterThan(0);
    expect(await put(55, 0)).toMatchObject({ status: 412, body: { current: first } });
    const second = (await put(55, first.version)).body;
    expect(second.version).toBeGreaterThan(first.version);
    expect(await read()).toEqual(second);
    const remove = (version: number) => world.as(teacher).delete(scheme, ifMatch(version));
    expect(await remove(first.version)).toMatchObject({ status: 412, body: { current: second } });
    expect((await remove(second.version)).status).toBe(204);
    // A new grade has a new version.
    await put(60, 0);
    expect((await put(65, first.version)).status).toBe(412);
    expect((await put(65, second.version)).status).toBe(412);
    expect((await read()).passing_percent).toBe(60);
  });
});

describe("of concurrent writes with one version", () => {
  it("one sets the cell, and the others get its value", async () => {
    const { set, row } = await openBook();
    for (let round = 0; round < 5; round += 1) {
      const { version } = (await row()).cells[0];
      const replies = await Promise.all(
        Array.from({ length: 6 }, (_, at) => set(10 * (round % 2) + at + 1, version)),
      );
      const [won, ...rest] = replies.toSorted((one, other) => one.status - other.status);
      expect([won?.status, ...rest.map(({ status }) => status)]).toEqual([200, ...Array(5).fill(412)]);
      for (const { body } of rest) expect(body.current).toEqual(won?.body);
    }
  });

  it("one sets the grade of the course, and one the scheme", async () => {
    const { setCourse, scheme, teacher } = await openBook();
    const grades = await Promise.all(Array.from({ length: 6 }, (_, at) => setCourse(50 + at, 0)));
    expect(grades.map(({ status }) => status).sort()).toEqual([200, ...Array(5).fill(412)]);
    const schemes = await Promise.all(
      Array.from({ length: 6 }, (_, at) =>
        world.as(teacher).put(scheme, { passing_percent: 50 + at }, ifMatch(0)),
      ),
    );
    expect(schemes.map(({ status }) => status).sort()).toEqual([200, ...Array(5).fill(412)]);
  });

  it("a score for an older version does not overwrite an earlier grade of the work", async () => {
    const { set, submit, grade, row } = await openBook();
    for (let round = 0; round < 8; round += 1) {
      const { id } = (await submit({ body: `round ${round}` })).body;
      const { version } = (await row()).cells[0];
      const both = [() => grade(id, round + 1), () => set(round + 10, version)];
      const order = round % 2 ? both : both.toReversed();
      const replies = await Promise.all(order.map((ask) => ask()));
      const put = replies[round % 2 ? 1 : 0];
      expect([200, 412]).toContain(put?.status);
      const now = (await row()).cells[0];
      // Either both writes succeeded, the score before the grade, or only the grade.
      expect(now.version).toBe(version + (put?.status === 200 ? 2 : 1));
    }
  });
});

it("a page of another origin may send If-Match", async () => {
  const preflight = await world.app.request("/api/v1/courses/1", {
    method: "OPTIONS",
    headers: {
      origin: "https://learn.example.edu",
      "access-control-request-method": "PUT",
      "access-control-request-headers": "if-match",
    },
  });
  expect(preflight.headers.get("access-control-allow-headers")).toContain("If-Match");
});
