import { eq, sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { deriveGraderSecret, signGraderCall } from "../../../lib/assessment/grader-signature.ts";
import { auditEvents } from "../../../schema/db/identity/audit.ts";
import { userUniversityRoles } from "../../../schema/db/identity/roles.ts";
import { openLab } from "../../support/lab.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";

const previous = "the key before it, which is just as long as it";
const world = openWorld({ SECRET_KEY_PREVIOUS: previous });
const make = makersOf(world);

const began = "2026-03-10T12:00:00.000Z";
const at = (minutes: number) => world.setNow(new Date(Date.parse(began) + minutes * 60_000));

beforeEach(() => at(0));

const ungraded = {
  ...{ score_obtained: null, max_score: null, grade_source: null, graded_at: null },
  ...{ instructor_feedback: null, auto_grade_json: null },
};

describe("work for a lab or an assignment", () => {
  it("is handed in once, and again as another attempt", async () => {
    const { submit, read, lab, offering, learner } = await openLab(world, { due_at: began });
    const work = {
      body: "Steeper edges",
      links: ["https://files.example.edu/a"],
      data_json: { volts: [1, 2] },
    };
    const first = await submit(work);
    expect(first.status).toBe(201);
    expect(first.body).toMatchObject({
      ...{ user_id: learner.id, content_item_id: lab.id, course_offering_id: offering.id },
      ...{ attempt_number: 1, status: "submitted", submitted_at: began, due_at: began, is_late: false },
      ...{ ...work, artifacts_url: null, ...ungraded },
    });
    const again = await submit(work);
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect((await read(first.body.id)).body).toEqual(first.body);
    at(1);
    expect((await submit({ artifacts_url: "https://files.example.edu/b" })).body).toMatchObject({
      ...{ attempt_number: 2, is_late: true },
    });
    const listed = await world.as(learner).get(`/assessments/my-submissions?content_item_id=${lab.id}`);
    expect(listed.body.map((one: { attempt_number: number }) => one.attempt_number)).toEqual([2, 1]);
    expect(listed.body[0].body).toBeUndefined();
  });

  it("needs content, a person with a seat, and an open item that takes work", async () => {
    const { submit, here, learner } = await openLab(world, { due_at: began, accepts_late: false });
    for (const work of [{}, { body: "", links: [] }, { links: ["ftp://files.example.edu"] }])
      expect((await submit(work)).status).toBe(422);
    expect((await submit({ body: "x" }, await make.person())).body.detail).toBe(
      "Not enrolled in this offering",
    );
    const { item } = await make.topic();
    expect(
      (await world.as(learner).post(`${here}/assignments/${item.id}/submissions`, { body: "x" })).body,
    ).toEqual({
      detail: "Assignment not found",
    });
    at(1);
    expect((await submit({ body: "x" })).body.detail).toBe(
      "The deadline has passed, and late submissions are no longer accepted",
    );
  });

  it("is as often and as late as a person is granted", async () => {
    const { submit, lab, learner, assistant, here } = await openLab(world, {
      max_attempts: 1,
      due_at: began,
    });
    await submit({ body: "one" });
    expect((await submit({ body: "two" })).body.detail).toBe("No attempt is left");
    const path = `${here}/assignments/${lab.id}/overrides`;
    const due_at = "2026-03-10T13:00:00.000Z";
    const granted = await world.as(assistant).put(`${path}/${learner.id}`, { max_attempts: 2, due_at });
    expect(granted.body).toMatchObject({ user_id: learner.id, max_attempts: 2, due_at });
    expect((await world.as(assistant).get(path)).body).toEqual([granted.body]);
    at(59);
    expect((await submit({ body: "two" })).body).toMatchObject({ attempt_number: 2, is_late: false, due_at });
  });

  it("is for its owner and staff: others get 404, and graders cannot grade their own", async () => {
    const { submit, read, grade, university, offering } = await openLab(world);
    const admin = await make.holder("university_admin", university.id);
    await make.enrollment(admin.id, offering.id);
    const { id } = (await submit({ body: "x" }, admin)).body;
    const own = await grade(id, 20, admin);
    expect([own.status, own.body.detail]).toEqual([403, "You cannot grade your own work"]);
    const learner = await make.person();
    await make.enrollment(learner.id, offering.id);
    expect((await read(id, learner)).status).toBe(404);
    expect((await grade(id, 20, learner)).status).toBe(404);
  });
});

describe("the queue of staff", () => {
  it("has the requested work, oldest first, and shows who has claimed it", async () => {
    const { submit, claim, grade, here, lab, paper, learner, assistant, other } = await openLab(world);
    const ids: number[] = [];
    for (const [minute, body, item] of [
      [0, "one", lab],
      [1, "two", lab],
      [2, "three", paper],
    ] as const) {
      at(minute);
      ids.push((await submit({ body }, learner, item)).body.id);
    }
    await claim(ids[2] ?? 0);
    await grade(ids[0] ?? 0, 5, other);
    const queue = async (query: string, person = other) =>
      (await world.as(person).get(`${here}/submissions?${query}`)).body.map((one: { id: number }) =>
        ids.indexOf(one.id),
      );
    expect(await queue("")).toEqual([0, 1, 2]);
    expect(await queue("skip=1&limit=1&sort=-submitted_at")).toEqual([1]);
    expect(await queue("status=submitted&newest=true&claimed=false")).toEqual([1]);
    expect(await queue("status=submitted&newest=true&claimed=false", assistant)).toEqual([1, 2]);
    expect(await queue(`content_item_id=${paper.id}`)).toEqual([2]);
    expect(await queue("newest=false")).toEqual([0]);
    expect(await queue("is_late=true")).toEqual([]);
    const [, , claimed] = (await world.as(other).get(`${here}/submissions`)).body;
    expect(claimed).toMatchObject({
      ...{ claimed_by_user_id: assistant.id, claimed_until: "2026-03-10T12:17:00.000Z", title: paper.title },
      ...{ full_name: learner.full_name },
    });
    await world.as(assistant).delete(`/assessments/submissions/${ids[2]}/claim`);
    expect(await queue("status=submitted&newest=true&claimed=false")).toEqual([1, 2]);
  });
});

describe("a grade", () => {
  it("is shown to its owner once released, in an export too, and completes the item", async () => {
    const { submit, read, grade, release, lab, learner, course, offering } = await openLab(world);
    const { id } = (await submit({ body: "x" })).body;
    const given = await grade(id, 17.5, undefined, { feedback: "Mind the units" });
    const told = { score_obtained: 17.5, max_score: 20, instructor_feedback: "Mind the units" };
    expect(given.body).toMatchObject({ ...told, status: "graded", grade_source: "hand" });
    const exported = async () => (await world.as(learner).get("/users/me/export")).body;
    expect((await read(id)).body).toMatchObject({ status: "graded", ...ungraded });
    // The whole number and sentence: the ".565" of a timestamp must not match.
    expect(JSON.stringify(await exported())).not.toMatch(/:17\.5[,}]|Mind the units/);
    const outline = await world.as(learner).get(`/courses/${course.id}/offerings/${offering.id}/outline`);
    const [shown] = outline.body.modules[0].items;
    expect(shown).toMatchObject({ id: lab.id, submission: { attempt_number: 1, status: "graded" } });
    expect(shown.completed_at).not.toBeNull();
    expect((await release()).body).toEqual({ changed: 2 });
    expect((await read(id)).body).toMatchObject(told);
    expect((await exported()).lab_submissions).toMatchObject([told]);
  });

  it("is at most the item's points, and takes over the claim of its grader", async () => {
    const { submit, claim, grade, other } = await openLab(world);
    const { id } = (await submit({ body: "x" })).body;
    expect((await grade(id, 20.5)).body.detail).toMatch(/^'.+' can give at most 20 points$/);
    await claim(id);
    expect((await grade(id, 5, other)).body.detail).toBe(
      "Another grader has claimed it until 2026-03-10T12:15:00.000Z",
    );
    at(15);
    expect((await grade(id, 5, other)).body).toMatchObject({ score_obtained: 5, claimed_by_user_id: null });
  });

  it("is taken back when the work is returned, which is due again", async () => {
    const { submit, read, grade, giveBack, lab, learner } = await openLab(world, {
      ...{ max_attempts: 1, due_at: "2026-03-11T12:00:00.000Z" },
    });
    const due = async () => {
      const home = await world.as(learner).get("/users/me/home");
      return home.body.due.map((one: { id: number }) => one.id);
    };
    expect(await due()).toEqual([lab.id]);
    const { id } = (await submit({ body: "x" })).body;
    expect(await due()).toEqual([]);
    await grade(id, 5);
    expect((await giveBack(id, "Add error bars")).body).toMatchObject({
      status: "returned",
      score_obtained: null,
    });
    expect((await giveBack(id, "Otherwise")).body).toMatchObject({ instructor_feedback: "Add error bars" });
    expect((await read(id)).body).toMatchObject({ instructor_feedback: "Add error bars" });
    expect(await due()).toEqual([lab.id]);
    expect((await submit({ body: "x" })).body).toMatchObject({ attempt_number: 2 });
    expect(await due()).toEqual([]);
  });
});

describe("an item's own grader", () => {
  async function openGrader() {
    const opened = await openLab(world);
    const { here, lab, teacher, submit } = opened;
    const { secret } = (await world.as(teacher).get(`${here}/assignments/${lab.id}/auto-grader`)).body;
    const { id } = (await submit({ body: "x" })).body;
    type Call = { minutes?: number; key?: string; about?: number; sent?: object };
    const say = (result: object, { minutes = 0, key = secret, about = id, sent = result }: Call = {}) => {
      const signed = Date.parse(began) + minutes * 60_000;
      const digest = signGraderCall(key, { at: signed, submissionId: about, body: JSON.stringify(result) });
      const headers = { "x-grader-signature": `t=${signed},v1=${digest}` };
      return world.as().request("POST", `/assessments/submissions/${id}/auto-grade`, sent, { headers });
    };
    return { ...opened, id, secret, say };
  }

  it("grades work that no person has graded", async () => {
    const { say, read, grade, assistant, id } = await openGrader();
    expect((await say({ score: 12, details: { passed: 3 } })).body).toEqual({
      submission_id: id,
      outcome: "GRADED",
    });
    const shown = { score_obtained: 12, grade_source: "auto", auto_grade_json: { passed: 3 } };
    expect((await read(id, assistant)).body).toMatchObject(shown);
    await grade(id, 18);
    expect((await say({ score: 11 }, { minutes: 1 })).body).toMatchObject({ outcome: "KEPT" });
    expect((await read(id, assistant)).body).toMatchObject({ score_obtained: 18, grade_source: "hand" });
    expect((await say({ score: 21 }, { minutes: 2 })).body).toMatchObject({ outcome: "KEPT" });
  });

  it("is ignored with an older result, and idempotent with the same one", async () => {
    const { say, read, assistant, id } = await openGrader();
    await say({ score: 5 }, { minutes: -1 });
    expect((await say({ score: 9 })).body).toMatchObject({ outcome: "GRADED" });
    expect((await say({ score: 5 }, { minutes: -1 })).body).toMatchObject({ outcome: "SUPERSEDED" });
    expect((await say({ score: 9 })).body).toMatchObject({ outcome: "GRADED" });
    expect((await read(id, assistant)).body).toMatchObject({ score_obtained: 9 });
    expect((await say({ score: 21 }, { minutes: 1 })).status).toBe(400);
  });

  it("has a secret that staff renew: the old one is rejected, and each read is recorded", async () => {
    const { say, read, here, lab, teacher, assistant, id, secret, learner, offering } = await openGrader();
    const path = `${here}/assignments/${lab.id}/auto-grader`;
    const first = (await world.as(teacher).get(path)).body;
    expect(first).toEqual({
      ...{ secret, version: 1, renewed_at: null },
      readers: [{ user_id: teacher.id, full_name: teacher.full_name, read_at: began, still_allowed: true }],
    });
    for (const person of [assistant, learner])
      expect((await world.as(person).post(`${path}/renew`)).status).toBe(403);
    expect((await say({ score: 5 }, { minutes: -1 })).body.outcome).toBe("GRADED");
    at(1);
    const renewed = await world.as(teacher).post(`${path}/renew`);
    expect(renewed.body).toMatchObject({
      ...{ version: 2, renewed_at: "2026-03-10T12:01:00.000Z" },
      readers: [{ user_id: teacher.id, read_at: "2026-03-10T12:01:00.000Z" }],
    });
    expect((await world.as(teacher).get(path)).body.secret).toBe(renewed.body.secret);
    const { status, body } = await say({ score: 9 }, { minutes: 1 });
    expect([status, body.detail]).toEqual([401, "Could not validate signature"]);
    expect((await say({ score: 9 }, { minutes: 1, key: renewed.body.secret })).body.outcome).toBe("GRADED");
    expect((await read(id, assistant)).body).toMatchObject({ score_obtained: 9 });
    const told = await world.deps.db
      .select({ action: auditEvents.action, actor: auditEvents.actor_id, details: auditEvents.details })
      .from(auditEvents)
      .where(
        sql`${auditEvents.action} like 'auto_grader.%' and details @> ${JSON.stringify({ course_offering_id: offering.id })}::jsonb`,
      )
      .orderBy(auditEvents.id);
    const item = { course_offering_id: offering.id, content_item_id: lab.id };
    const line = (action: string, version: number) => ({
      ...{ action, actor: teacher.id },
      details: { ...item, version },
    });
    expect(told).toEqual([
      line("auto_grader.read", 1),
      line("auto_grader.read", 1),
      line("auto_grader.renewed", 2),
      line("auto_grader.read", 2),
    ]);
  });

  it("lists former readers of its secret who may no longer read it", async () => {
    const { here, lab, teacher, university } = await openGrader();
    const path = `${here}/assignments/${lab.id}/auto-grader`;
    const successor = await make.holder("instructor", university.id);
    await world.deps.db.delete(userUniversityRoles).where(eq(userUniversityRoles.user_id, teacher.id));
    expect((await world.as(teacher).get(path)).status).toBe(403);
    const seen = (await world.as(successor).get(path)).body;
    expect(seen.readers).toMatchObject([
      { user_id: teacher.id, still_allowed: false },
      { user_id: successor.id, still_allowed: true },
    ]);
    const renewed = (await world.as(successor).post(`${path}/renew`)).body;
    expect(renewed.readers).toMatchObject([{ user_id: successor.id }]);
  });

  it("does not grade work of a person who has read its secret, until the secret is renewed", async () => {
    const { here, lab, offering, submit, university } = await openGrader();
    const path = `${here}/assignments/${lab.id}/auto-grader`;
    const dean = await make.holder("university_admin", university.id);
    await make.enrollment(dean.id, offering.id);
    const { secret } = (await world.as(dean).get(path)).body;
    const { id } = (await submit({ body: "x" }, dean)).body;
    const say = (key: string) => {
      const signed = Date.parse(began);
      const digest = signGraderCall(key, { at: signed, submissionId: id, body: '{"score":20}' });
      const headers = { "x-grader-signature": `t=${signed},v1=${digest}` };
      return world
        .as()
        .request("POST", `/assessments/submissions/${id}/auto-grade`, { score: 20 }, { headers });
    };
    expect((await say(secret)).status).toBe(403);
    const other = await make.holder("university_admin", university.id);
    const renewed = (await world.as(other).post(`${path}/renew`)).body;
    expect((await say(renewed.secret)).body.outcome).toBe("GRADED");
  });

  it("is accepted only with its signature of the result, the submission and the time", async () => {
    const { say, read, submit, assistant, id, secret } = await openGrader();
    const another = (await submit({ body: "y" })).body.id;
    const elsewhere = await openGrader();
    const refused = [
      await say({ score: 9 }, { key: elsewhere.secret }),
      await say({ score: 9 }, { sent: { score: 10 } }),
      await say({ score: 9 }, { about: another }),
      await say({ score: 9 }, { minutes: -6 }),
      await say({ score: 9 }, { minutes: 6 }),
      await world.as().post(`/assessments/submissions/${id}/auto-grade`, { score: 9 }),
      await world.as().post("/assessments/submissions/2000000000/auto-grade", { score: 9 }),
    ];
    for (const { status, body } of refused)
      expect([status, body]).toEqual([401, { detail: "Could not validate signature" }]);
    expect((await read(id, assistant)).body).toMatchObject({ status: "submitted" });
    expect(secret).not.toBe(elsewhere.secret);
    const { offering, lab } = elsewhere;
    const former = deriveGraderSecret(previous, {
      offering_id: offering.id,
      content_item_id: lab.id,
      version: 1,
    });
    expect((await elsewhere.say({ score: 9 }, { key: former })).body).toMatchObject({ outcome: "GRADED" });
  });
});
