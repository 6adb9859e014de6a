import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { sendScores } from "../../../../lib/integrations/lti/send-scores.ts";
import { eraseAccountOf } from "../../../support/erase.ts";
import { openLab } from "../../../support/lab.ts";
import { bindCourse, startLms } from "../../../support/lti-course.ts";
import type { Fault } from "../../../support/lti-services-stand-in.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

let lms: Awaited<ReturnType<typeof startLms>>;
beforeAll(async () => {
  lms = await startLms(world);
});
afterAll(() => lms.close());

let minutes = 0;
beforeEach(() => {
  // Each test has separate hours, in which no score of another is due.
  minutes = (Math.ceil(minutes / 20_000) + 1) * 20_000;
  forward(0);
  Object.assign(lms.services.state, {
    ...{ tokenFault: undefined, scoreFault: () => undefined, retryAfter: undefined, scores: [] },
  });
});
const forward = (more: number) => {
  minutes += more;
  world.setNow(new Date(Date.parse("2026-03-10T12:00:00Z") + minutes * 60_000));
};

const send = () => sendScores(world.deps);
const sent = () =>
  lms.services.state.scores.map(({ line_item, userId, scoreGiven, scoreMaximum }) =>
    [line_item, userId, scoreGiven, scoreMaximum].join(" "),
  );
const fail = (...faults: Fault[]) => {
  let nth = 0;
  lms.services.state.scoreFault = () => faults[Math.min(nth++, faults.length - 1)];
};

let courses = 0;
/** A module with a lab of 20 points and a paper of 80. Both, the module and the course have columns. */
async function openCourse() {
  courses += 1;
  const name = (of: string) => `${of}-${courses}`;
  const opened = await openLab(world);
  const bound = await bindCourse(world, lms, opened);
  await bound.link(name("lab"), { content_item_id: opened.lab.id });
  await bound.link(name("module"), { module_id: opened.module.id });
  await bound.link(name("course"));
  await bound.link(null, { content_item_id: opened.paper.id });
  const subject = name("learner");
  await bound.know(subject, opened.learner.id);
  await send();
  const set = (item: { id: number }, body: object, person = opened.learner) =>
    world
      .as(opened.assistant)
      .put(`${opened.here}/grades/${person.id}/items/${item.id}`, { reason: "On paper", ...body });
  const told = async (person = opened.learner): Promise<{ state: string; reason: string | null }[]> =>
    (await opened.gradebook()).body.rows.find((row: { user_id: number }) => row.user_id === person.id).lms;
  const line = (of: string, score?: number, maximum = 100) =>
    [name(of), subject, score, score === undefined ? undefined : maximum].join(" ");
  return { ...opened, ...bound, subject, set, told, line, name };
}

describe("a grade", () => {
  it("is sent to its columns when it is released, and again when it is overridden; a link without a column gets nothing", async () => {
    const { set, lab, paper, release, told, line } = await openCourse();
    await set(lab, { score: 15 });
    await set(paper, { score: 40 });
    await send();
    expect(sent()).toEqual([]);
    expect(await told()).toEqual([]);
    await release({ content_item_ids: [lab.id] });
    await send();
    expect(sent().toSorted()).toEqual([line("course", 75), line("lab", 15, 20), line("module", 75)]);
    expect((await told()).map(({ state }) => state)).toEqual(["SENT", "SENT", "SENT"]);
    lms.services.state.scores = [];
    forward(1);
    await set(lab, { score: 18.5 });
    expect((await told()).map(({ state }) => state)).toEqual(["WAITS", "WAITS", "WAITS"]);
    await send();
    expect(sent()).toContain(line("lab", 18.5, 20));
    await release({ content_item_ids: [paper.id] });
    lms.services.state.scores = [];
    await send();
    // Unchanged scores are not sent again.
    expect(sent().toSorted()).toEqual([line("course", 58.5), line("module", 58.5)]);
    expect(lms.services.state.scores[0]).toMatchObject({
      activityProgress: "Completed",
      gradingProgress: "FullyGraded",
    });
  });

  it("is cleared for excused people, and once it is hidden again", async () => {
    const { set, lab, release, line } = await openCourse();
    await set(lab, { score: 15 });
    await release();
    await send();
    lms.services.state.scores = [];
    await set(lab, { is_excused: true });
    await send();
    expect(sent().toSorted()).toEqual([line("course"), line("lab"), line("module")]);
    expect(lms.services.state.scores[0]).not.toHaveProperty("scoreGiven");
    await set(lab, { score: 12 });
    await send();
    lms.services.state.scores = [];
    await release({ released: false });
    await send();
    expect(sent()).toContain(line("lab"));
  });

  it("in an item of extra credit alone is not sent, since LTI requires a maximum above zero", async () => {
    const { set, lab, release } = await openCourse();
    const data = JSON.stringify({ grading: { max_points: 0, extra_points: 5 } });
    await world.deps.db.execute(
      sql`update content_items set data_json = ${data}::jsonb where id = ${lab.id}`,
    );
    await set(lab, { score: 5 });
    await release();
    await send();
    expect(sent().filter((line) => line.startsWith("lab"))).toEqual([]);
  });

  it("of a regraded submission is sent again, and of a returned one is cleared", async () => {
    const { submit, grade, giveBack, release, line } = await openCourse();
    const { id } = (await submit({ body: "x" })).body;
    await release();
    await send();
    expect(sent()).toEqual([]);
    await grade(id, 10);
    await send();
    await grade(id, 11);
    await send();
    await giveBack(id, "Once more");
    await send();
    expect(sent().filter((one) => one.startsWith("lab"))).toEqual([
      line("lab", 10, 20),
      line("lab", 11, 20),
      line("lab"),
    ]);
  });

  it("of the course is the final one once there is one", async () => {
    const { set, lab, teacher, learner, here, finalize, reopen, release, line } = await openCourse();
    await set(lab, { score: 20 });
    await release();
    await send();
    expect(sent()).toContain(line("course", 100));
    await world.as(teacher).put(`${here}/grades/${learner.id}`, { score: 65, reason: "Talk" });
    await finalize({ include_awaiting: true });
    await send();
    expect(sent()).toContain(line("course", 65));
    lms.services.state.scores = [];
    await reopen();
    await send();
    expect(sent()).toEqual([line("course", 100)]);
  });

  it("is sent later once a link has a column, or the LMS has named the person", async () => {
    const { set, lab, paper, release, offering, name, know, context } = await openCourse();
    const ben = await make.person();
    await make.enrollment(ben.id, offering.id);
    await set(lab, { score: 7 }, ben);
    await set(paper, { score: 80 }, ben);
    await release();
    await send();
    expect(sent()).toEqual([]);
    await know(name("ben"), ben.id);
    await send();
    expect(sent()).toContain(`${name("lab")} ${name("ben")} 7 20`);
    lms.services.state.scores = [];
    await world.deps.db.execute(sql`
      update lti_links set line_item_url = ${`${lms.issuer}/lineitems/${name("paper")}?keep=1`}
      where context_id = ${context} and content_item_id = ${paper.id}`);
    await send();
    expect(sent()).toEqual([`${name("paper")} ${name("ben")} 80 80`]);
  });

  it("has increasing times, also within one second and when the clock moves back", async () => {
    const { set, lab, release, name } = await openCourse();
    await release();
    for (const score of [1, 2]) {
      await set(lab, { score });
      await send();
    }
    forward(-60);
    await set(lab, { score: 3 });
    forward(61);
    await send();
    const times = lms.services.state.scores
      .filter(({ line_item }) => line_item === name("lab"))
      .map(({ timestamp }) => timestamp);
    expect(times).toHaveLength(3);
    expect(times.toSorted()).toEqual(times);
    expect(new Set(times.map((time) => time.slice(0, 19))).size).toBe(3);
  });
});

describe("an LMS that", () => {
  it.each<[Fault, string]>([
    [404, "it answered 404"],
    [422, "it answered 422"],
    [403, "it answered 403"],
    ["redirect", "it answered 301"],
    [409, "it answered 409"],
  ])("answers with %s refuses a score, until staff have it sent again", async (fault, reason) => {
    const { set, lab, release, told, here, assistant, learner, line } = await openCourse();
    await set(lab, { score: 15 });
    await release();
    fail(fault);
    const before = lms.services.state.scoresPosted;
    await send();
    expect(await told()).toEqual(
      Array(3).fill(expect.objectContaining({ state: "REFUSED", reason, sent_at: null })),
    );
    expect(lms.services.state.scoresPosted - before).toBe(fault === 409 ? 6 : 3);
    fail(undefined);
    forward(600);
    await send();
    expect(sent()).toEqual([]);
    const { status } = await world
      .as(assistant)
      .post(`${here}/grades/send-to-lms`, { user_ids: [learner.id] });
    expect(status).toBe(204);
    await send();
    expect(sent()).toContain(line("lab", 15, 20));
    expect((await told()).map(({ state }) => state)).toEqual(["SENT", "SENT", "SENT"]);
  });

  it("knows a later score is sent a later time once", async () => {
    const { set, lab, release, line } = await openCourse();
    await set(lab, { score: 15 });
    await release();
    fail(409, undefined);
    await send();
    expect(sent()).toContain(line("lab", 15, 20));
    expect(lms.services.state.scores).toHaveLength(3);
  });

  it.each<[Fault, string]>([
    [500, "it answered 500"],
    [503, "it answered 503"],
    ["html", "it returned a web page"],
    [429, "it answered 429"],
    ["reset", "it could not be reached"],
  ])(
    "answers with %s is sent it later, and the gradebook says so; after seven days it is given up",
    async (fault, reason) => {
      const { set, lab, release, told, line } = await openCourse();
      await set(lab, { score: 15 });
      await release();
      fail(fault);
      await send();
      const waits = { state: "WAITS", reason: expect.stringContaining(reason) };
      expect(await told()).toEqual(Array(3).fill(expect.objectContaining(waits)));
      const before = lms.services.state.scoresPosted;
      forward(0.5);
      await send();
      expect(lms.services.state.scoresPosted).toBe(before);
      for (let day = 0; day < 7; day++) {
        forward(1441);
        await send();
      }
      expect(lms.services.state.scoresPosted).toBeGreaterThan(before + 5);
      const refused = { state: "REFUSED", reason: expect.stringContaining(reason) };
      expect(await told()).toEqual(Array(3).fill(expect.objectContaining(refused)));
      fail(undefined);
      await set(lab, { score: 16 });
      forward(120);
      await send();
      expect(sent()).toContain(line("lab", 16, 20));
    },
  );

  it("gives no tokens is paused, with all waiting scores, and called again later", async () => {
    const { set, lab, release, told, line } = await openCourse();
    await set(lab, { score: 15 });
    await release();
    lms.services.state.tokenFault = 503;
    forward(100);
    await send();
    expect((await told())[0]).toMatchObject({ state: "WAITS", reason: "it gave no token, and answered 503" });
    lms.services.state.tokenFault = undefined;
    await send();
    expect(sent()).toEqual([]);
    forward(2);
    await send();
    forward(2);
    await send();
    expect(sent()).toContain(line("lab", 15, 20));
  });

  it("gives a retry time is not called before it", async () => {
    const { set, lab, release } = await openCourse();
    await set(lab, { score: 15 });
    await release();
    lms.services.state.retryAfter = "1800";
    fail(429);
    await send();
    fail(undefined);
    forward(29);
    await send();
    expect(sent()).toEqual([]);
    forward(2);
    await send();
    expect(sent()).toHaveLength(3);
  });
});

describe("nothing is sent", () => {
  it.each<[string, (course: Awaited<ReturnType<typeof openCourse>>) => Promise<unknown>]>([
    ["of an erased account", ({ learner }) => eraseAccountOf(world, learner)],
    [
      "of whom staff have unlinked",
      ({ subject }) =>
        world.deps.db.execute(sql`
          update lti_people set user_id = null, linked_by = null where subject = ${subject}`),
    ],
    [
      "to a course of an LMS that is bound no more",
      ({ context }) => world.deps.db.execute(sql`delete from lti_contexts where id = ${context}`),
    ],
    [
      "to an LMS that was removed",
      ({ platform }) => world.deps.db.execute(sql`delete from lti_platforms where id = ${platform}`),
    ],
  ])("%s, and no row of it stays", async (_, end) => {
    const course = await openCourse();
    await course.set(course.lab, { score: 15 });
    await course.release();
    fail(503);
    await send();
    await course.set(course.lab, { score: 16 });
    fail(undefined);
    await end(course);
    forward(200);
    await send();
    expect(sent()).toEqual([]);
    const { rows } = await world.deps.db.execute(sql`
      select 1 from lti_scores join lti_people on lti_people.id = person_id where subject = ${course.subject}`);
    expect(rows).toEqual([]);
  });

  it("to the column of an item that was deleted", async () => {
    const { set, lab, release, name, context } = await openCourse();
    await set(lab, { score: 15 });
    await release();
    await world.deps.db.execute(
      sql`delete from lti_links where context_id = ${context} and content_item_id = ${lab.id}`,
    );
    await send();
    expect(sent().map((line) => line.split("-")[0])).toEqual(["module", "course"]);
    expect(sent()).not.toContain(name("lab"));
  });
});

it("a score during an override, a release and a worker leaves the LMS with the newest value", async () => {
  const { set, lab, release, submit, grade, line } = await openCourse();
  const { id } = (await submit({ body: "x" })).body;
  for (let round = 0; round < 4; round++) {
    await Promise.all([
      grade(id, round + 1),
      set(lab, { score: round + 10 }),
      release({ released: round % 2 === 0 }),
      send(),
      send(),
    ]);
  }
  await release();
  await set(lab, { score: 19 });
  await Promise.all([send(), send()]);
  forward(2);
  await send();
  const last = lms.services.state.results.get(line("lab").trim().split(" ").slice(0, 2).join(" "));
  expect(last).toMatchObject({ scoreGiven: 19, scoreMaximum: 20 });
  const { rows } = await world.deps.db.execute(sql`select 1 from lti_scores where due_at is not null`);
  expect(rows).toEqual([]);
});

it("is rejected if no LMS has a column, for learners, and for bad input", async () => {
  const { here, assistant, learner } = await openLab(world);
  const ask = (person: typeof learner, body: object) =>
    world.as(person).post(`${here}/grades/send-to-lms`, body);
  expect(await ask(assistant, {})).toMatchObject({
    status: 400,
    body: { detail: "No LMS has a grade column for this offering" },
  });
  expect((await ask(learner, {})).status).toBe(403);
  expect((await ask(assistant, { user_ids: [] })).status).toBe(422);
});
