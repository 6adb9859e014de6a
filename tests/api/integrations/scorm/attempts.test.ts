import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { tablesWith } from "../../../support/tables-with.ts";
import { openWorld } from "../../../support/world.ts";
import { openPackage } from "./open-package.ts";

const world = openWorld();

type Opened = Awaited<ReturnType<typeof openPackage>>;

const cmi12 = (lesson_status: string, raw?: string, more: object = {}) => ({
  core: { lesson_status, ...(raw !== undefined && { score: { raw } }), ...more },
});
const cmi2004 = (completion_status: string, success_status: string, scaled?: string, more: object = {}) => ({
  ...{ completion_status, success_status, ...(scaled !== undefined && { score: { scaled } }) },
  ...more,
});

/** Launches, and returns a function that commits. */
async function begin(at: Opened, body: object = {}) {
  const { body: launch, status } = await at.launch(body);
  expect(status).toBe(201);
  let sequence = 0;
  const commit = (cmi: object, more: object = {}) =>
    at.asLearner.post("/scorm/commits", {
      ...{ session: launch.session, sequence: ++sequence, cmi },
      ...more,
    });
  return { launch, commit };
}

async function cellOf({ teacher, offering, item, learner }: Opened) {
  const { body } = await teacher.get(`/assessments/offerings/${offering.id}/gradebook`);
  const column = body.columns.findIndex(
    ({ content_item_id }: { content_item_id: number }) => content_item_id === item.id,
  );
  const row = body.rows.find(({ user_id }: { user_id: number }) => user_id === learner.id);
  const { score, state } = row.cells[column];
  return [score, state];
}

async function isCompleted({ asLearner, item, offering }: Opened): Promise<boolean> {
  const { body } = await asLearner.get(`/progress/content/my-progress?course_offering_id=${offering.id}`);
  return body.some(
    (one: { content_item_id: number; completed_at: string | null }) =>
      one.content_item_id === item.id && one.completed_at !== null,
  );
}

describe("an attempt", () => {
  it.each([
    ["1.2", cmi12("completed", "85", { session_time: "0000:01:30" })],
    ["2004", cmi2004("completed", "passed", "0.85", { session_time: "PT1M30S" })],
  ] as const)("of SCORM %s is graded and completes its item", async (version, cmi) => {
    const at = await openPackage(world, { version, data: { max_points: 20 } });
    const { launch, commit } = await begin(at);
    expect(launch).toMatchObject({
      version,
      attempt_number: 1,
      sco: "item1",
      start: { path: "index.html", cmi: null },
    });
    expect([await cellOf(at), await isCompleted(at)]).toEqual([[null, "NONE"], false]);
    const { status, body } = await commit(cmi);
    expect([status, body]).toEqual([
      200,
      {
        ...{ attempt_id: launch.attempt_id, sequence: 1, score_scaled: 0.85, total_seconds: 90 },
        ...{ passed: version === "2004" ? true : null, completed_at: "2026-03-10T12:00:00.000Z" },
      },
    ]);
    expect([await cellOf(at), await isCompleted(at)]).toEqual([[17, "GRADED"], true]);
  });

  it("continues elsewhere from the stored data, with the time of all sessions", async () => {
    const at = await openPackage(world);
    const first = await begin(at);
    const cmi = {
      ...cmi12("incomplete", undefined, { lesson_location: "page 3", exit: "suspend" }),
      suspend_data: "abc",
    };
    await first.commit(
      { ...cmi, core: { ...cmi.core, student_name: "Ada", student_id: "7" } },
      { seconds: 40 },
    );
    const second = await begin(at);
    expect(second.launch).toMatchObject({
      attempt_id: first.launch.attempt_id,
      start: { cmi, learner: { seconds: 40 } },
    });
    const { body } = await second.commit(cmi12("completed"), { seconds: 20 });
    expect(body.total_seconds).toBe(60);
  });

  it("is not changed by a late commit of another device, nor twice by a repeated one", async () => {
    const at = await openPackage(world);
    const first = await begin(at);
    const session = first.launch.session;
    await first.commit(cmi12("incomplete", "10"));
    const second = await begin(at);
    await second.commit(cmi12("completed", "90"));
    const late = await first.commit(cmi12("incomplete", "20"));
    expect([late.status, late.body.detail]).toEqual([
      409,
      "This attempt was continued in another window or on another device",
    ]);
    const again = { session: second.launch.session, sequence: 1, cmi: cmi12("incomplete", "30") };
    const repeated = await at.asLearner.post("/scorm/commits", again);
    expect([repeated.status, repeated.body.score_scaled]).toEqual([200, 0.9]);
    expect(session).not.toBe(second.launch.session);
    expect(await cellOf(at)).toEqual([90, "GRADED"]);
  });

  it("of two concurrent commits keeps the later one", async () => {
    const at = await openPackage(world);
    const { launch } = await begin(at);
    const path = "/scorm/commits";
    const send = (sequence: number) =>
      at.asLearner.post(path, {
        session: launch.session,
        sequence,
        cmi: cmi12("incomplete", String(sequence)),
      });
    const sent = await Promise.all([5, 3, 8, 1, 7].map(send));
    expect(sent.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect((await at.asLearner.get(`/scorm/my-attempts?content_item_id=${at.item.id}`)).body).toEqual([
      expect.objectContaining({ score_scaled: 0.08, attempt_number: 1 }),
    ]);
  });

  it.each([
    ["highest", 90],
    ["first", 40],
    ["last", 60],
  ])("of several, the %s counts", async (counted_attempt, score) => {
    const at = await openPackage(world, { data: { counted_attempt, max_attempts: 3 } });
    for (const raw of ["40", "90", "60"]) {
      const { commit } = await begin(at, { new_attempt: true });
      await commit(cmi12("completed", raw));
    }
    expect(await cellOf(at)).toEqual([score, "GRADED"]);
    const more = await at.launch({ new_attempt: true });
    expect([more.status, more.body.detail]).toEqual([400, "No attempt at this package is left"]);
    expect((await at.launch()).body.attempt_number).toBe(3);
  });

  it("of a package with several SCOs completes once all of them are", async () => {
    const at = await openPackage(world, {
      items: [{ href: "index.html" }, { href: "quiz.html" }, { href: "help.html", kind: "asset" }],
      files: { "quiz.html": "", "help.html": "" },
    });
    const lesson = await begin(at);
    expect((await lesson.commit(cmi12("completed"))).body.completed_at).toBeNull();
    const quiz = await begin(at);
    expect(quiz.launch).toMatchObject({ sco: "item2", start: { path: "quiz.html" } });
    const { body } = await quiz.commit(cmi12("passed", "70"), { seconds: 30 });
    expect(body).toMatchObject({ passed: true, score_scaled: 0.7, completed_at: "2026-03-10T12:00:00.000Z" });
    const help = await at.launch({ sco: "item3" });
    expect([help.body.session, help.body.start.is_sco]).toEqual([null, false]);
    expect((await at.launch({ sco: "item4" })).status).toBe(422);
  });

  it("follows the item's rules", async () => {
    const at = await openPackage(world, {
      data: { completion: "score", passing_percent: 80, grade: "completion" },
    });
    const { commit } = await begin(at);
    expect((await commit(cmi12("completed", "79"))).body).toMatchObject({
      completed_at: null,
      score_scaled: null,
    });
    expect((await commit(cmi12("incomplete", "80"))).body).toMatchObject({ score_scaled: 1 });
    expect([await cellOf(at), await isCompleted(at)]).toEqual([[100, "GRADED"], true]);
    // A later commit below the score takes nothing back.
    expect((await commit(cmi12("incomplete", "10"))).body.completed_at).not.toBeNull();
  });

  it("needs a seat; staff without one get a preview that stores nothing", async () => {
    const at = await openPackage(world);
    const outsider = world.as(await at.make.person());
    const refused = await at.launch({}, outsider);
    expect([refused.status, refused.body.detail]).toEqual([403, "Not enrolled in this offering"]);
    const preview = await at.launch({}, at.teacher);
    expect([preview.status, preview.body.attempt_id, preview.body.session]).toEqual([201, null, null]);
    const { rows } = await world.deps.db.execute(
      sql`select from scorm_attempts where content_item_id = ${at.item.id}`,
    );
    expect(rows).toEqual([]);
  });

  it("takes commits only of its learner, in its own session, within the limits", async () => {
    const at = await openPackage(world);
    const { launch, commit } = await begin(at);
    const other = await openPackage(world);
    const path = "/scorm/commits";
    const cmi = cmi12("completed", "100");
    const forged = await at.asLearner.post(path, { session: "forged", sequence: 1, cmi });
    expect([forged.status, forged.body.detail]).toEqual([
      400,
      "This session of the package has ended. Launch it again",
    ]);
    expect((await other.asLearner.post(path, { session: launch.session, sequence: 1, cmi })).status).toBe(
      400,
    );
    expect((await at.teacher.post(path, { session: launch.session, sequence: 1, cmi })).status).toBe(400);
    expect((await commit({ suspend_data: "a".repeat(64_000) })).status).toBe(200);
    expect((await commit({ suspend_data: "a".repeat(64_001) })).status).toBe(422);
    await world.deps.db.execute(
      sql`delete from enrollments where user_id = ${at.learner.id} and course_offering_id = ${at.offering.id}`,
    );
    expect((await commit(cmi)).status).toBe(403);
    world.setNow("2026-03-18T12:00:00Z");
    const late = await world.as(at.learner).post(path, { session: launch.session, sequence: 9, cmi });
    expect([late.status, late.body.detail]).toEqual([forged.status, forged.body.detail]);
    world.setNow("2026-03-10T12:00:00Z");
  });
});

describe("the attempts of a class", () => {
  it("are listed for its staff, also as CSV, and not for learners or strangers", async () => {
    const at = await openPackage(world);
    const { commit } = await begin(at);
    await commit(cmi12("passed", "75", { session_time: "0001:00:00" }));
    const listed = await at.teacher.get(`${at.path}/attempts`);
    expect(listed.body).toEqual([
      expect.objectContaining({
        ...{
          user_id: at.learner.id,
          attempt_number: 1,
          passed: true,
          score_scaled: 0.75,
          total_seconds: 3600,
        },
        scos: [{ id: "item1", completed: true, passed: true, scaled: 0.75, seconds: 3600 }],
      }),
    ]);
    expect(JSON.stringify(listed.body)).not.toContain("lesson_status");
    const csv = await at.teacher.get(`${at.path}/attempts?format=csv`);
    expect(csv.text.split("\r\n")[1]).toMatch(
      new RegExp(`^${at.learner.id},.*,1,2026-03-10.*,true,0\\.75,3600$`),
    );
    expect((await at.asLearner.get(`${at.path}/attempts`)).status).toBe(403);
    const stranger = world.as(await at.make.holder("instructor", (await at.make.university()).id));
    expect((await stranger.get(`${at.path}/attempts`)).status).toBe(403);
  });

  it("keep results of an erased account, without comments, answers and suspend data", async () => {
    const at = await openPackage(world, { version: "2004" });
    const { commit } = await begin(at);
    const words = "what a marmot wrote";
    const comments_from_learner = { 0: { comment: words } };
    const interactions = { 0: { id: "q1", type: "long-fill-in", learner_response: words } };
    const more = { comments_from_learner, interactions, suspend_data: words, location: words };
    await commit(cmi2004("completed", "passed", "0.8", more));
    expect((await tablesWith(world, words)).map(({ where }) => where)).toEqual(["scorm_attempts"]);
    await world.deps.db.execute(
      sql`select erase_account(${at.learner.id}, token_version, false, '{"at": "2026-03-10T12:00:00Z"}') from users where id = ${at.learner.id}`,
    );
    expect(await tablesWith(world, words)).toEqual([]);
    expect((await at.teacher.get(`${at.path}/attempts`)).body).toEqual([
      expect.objectContaining({ email: null, passed: true, score_scaled: 0.8 }),
    ]);
  });

  it("keep their item's type and package", async () => {
    const at = await openPackage(world);
    await (await begin(at)).commit(cmi12("completed"));
    const deleted = await at.teacher.delete(`/content/${at.item.id}`);
    expect(deleted.status).toBe(400);
    const inUse = await at.teacher.delete(`/files/${at.file_id}`);
    expect([inUse.status, inUse.body.detail]).toEqual([400, "File is still in use"]);
  });
});
