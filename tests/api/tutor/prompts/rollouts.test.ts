import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { insertFinishedTrial, insertTrialsOf } from "../../../support/rollout.ts";
import { openWorld } from "../../../support/world.ts";
import { path, rolloutsOf } from "./rollouts.ts";

const world = openWorld();
const { make, prepare, begun, productionNow } = rolloutsOf(world);

const missingStep =
  /^A finished STEP trial of the current texts of version \d+ against version \d+ is missing/;
const missingLeak = /^A finished LEAK trial of the current text of version \d+ is missing/;

describe("a rollout is begun", () => {
  it("by a user who may move production, and listed for them and for the version's author", async () => {
    const { author, approver, writer, approving, version, base } = await prepare();
    const asked = { candidate_version: version, share: 10 };
    expect(await author.post(path, asked)).toMatchObject({ status: 403 });
    const { status, body } = await approver.post(path, asked);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      ...{
        prompt_name: "tutor",
        candidate_version: version,
        base_version: base,
        share: 10,
        unit: "OFFERING",
      },
      ...{ universities: null, state: "RUNNING", stop_reason: null, ended_by: null, ended_at: null },
      ...{ author_id: writer.id, approved_by: approving.id },
      stop: {
        malformed: 0.02,
        refusals: 0.02,
        cut_offs: 0.02,
        downs: 0.02,
        length: 1.5,
        cost: 1.5,
        first_word: 1.5,
      },
    });
    const other = world.as(await make.holder("instructor", (await make.university()).id));
    for (const client of [author, approver]) {
      expect((await client.get(path)).body[0]).toEqual(body);
      expect((await client.get(`${path}/${body.id}`)).body).toMatchObject({
        ...body,
        arms: { base: { turns: 0 }, candidate: { turns: 0 } },
      });
    }
    expect((await other.get(path)).body).toEqual([]);
    expect(await other.get(`${path}/${body.id}`)).toMatchObject({ status: 404 });
    expect(await approver.get(`/prompts/other/rollouts/${body.id}`)).toMatchObject({ status: 404 });
    const { rows } = await world.deps.db.execute(
      sql`select actor_id, details from audit_events where action = 'prompt.rollout_started' order by id desc limit 1`,
    );
    expect(rows).toEqual([
      { actor_id: approving.id, details: { name: "tutor", version, rollout_id: body.id, share: 10 } },
    ]);
  });

  it("never by the version's author, who cannot promote it either", async () => {
    const { approving, approver, where } = await prepare();
    const { body } = await approver.post("/prompts/", { name: "tutor", prompt: "Mine for {{title}}." });
    const base = await productionNow(approver);
    await insertTrialsOf(world, where, { version: body.version, against: base });
    const refused = { status: 403, body: { detail: "Another person has to approve" } };
    const asked = { candidate_version: body.version, share: 10 };
    expect(await approver.post(path, asked)).toMatchObject(refused);
    const second = world.as(await make.holder("platform_admin", (await make.university()).id));
    const { body: made } = await second.post(path, asked);
    expect(made).toMatchObject({ author_id: approving.id });
    expect(await approver.post(`${path}/${made.id}/promote`)).toMatchObject(refused);
    expect(await productionNow(approver)).toBe(base);
    expect(await approver.post(`${path}/${made.id}/stop`)).toMatchObject({
      status: 200,
      body: { state: "STOPPED" },
    });
  });

  it("only for the tutor's prompts, against a version labelled production", async () => {
    const { author, approver, version, base } = await prepare();
    const name = make.unique("other").toLowerCase();
    await author.post("/prompts/", { name, prompt: "Hello." });
    const post = (of: string, candidate_version: number, more: object = {}) =>
      approver.post(`/prompts/${of}/rollouts`, { candidate_version, share: 10, ...more });
    expect(await post(name, 1)).toMatchObject({
      status: 400,
      body: { detail: "Only the tutor's prompts can have rollouts: tutor, tutor-<content type>" },
    });
    expect(await post("nowhere", 1)).toMatchObject({ status: 404, body: { detail: "Prompt not found" } });
    expect(await post("tutor", 9999)).toMatchObject({
      status: 404,
      body: { detail: "Prompt version not found" },
    });
    expect(await post("tutor", base)).toMatchObject({
      status: 400,
      body: { detail: "This version already has the label production" },
    });
    await author.post("/prompts/", { name: "tutor-quiz", prompt: "Quiz." });
    expect(await post("tutor-quiz", 1)).toMatchObject({
      status: 400,
      body: { detail: "No version of this prompt is labelled production" },
    });
    expect(await post("tutor", version, { universities: [2_000_000_000] })).toMatchObject({
      status: 400,
      body: { detail: "University 2000000000 does not exist" },
    });
    for (const bad of [
      { share: 0 },
      { share: 51 },
      { unit: "COURSE" },
      { stop: { length: 0.5 } },
      { stop: { more: 1 } },
    ])
      expect(await post("tutor", version, bad), JSON.stringify(bad)).toMatchObject({ status: 422 });
  });

  it("after trials of both current texts, at 50 nodes or all of a course", async () => {
    const { author, approver, base, where } = await prepare();
    const text = `Part: @@@refPrompt:name=${"part-of-it"}|label=latest@@@`;
    await author.post("/prompts/", { name: "part-of-it", prompt: "Say {{title}}." });
    const { body } = await author.post("/prompts/", { name: "tutor", prompt: text });
    const version: number = body.version;
    const post = () => approver.post(path, { candidate_version: version, share: 10 });
    const fingerprints = async () => {
      const { createHash } = await import("node:crypto");
      const of = async (number: number) => {
        const { body: read } = await approver.get(`/prompts/tutor?version=${number}`);
        return createHash("sha256").update(read.resolved_prompt).digest("hex");
      };
      return { prompt_fingerprint: await of(version), against_fingerprint: await of(base) };
    };
    const tried = { version, against: base, ...(await fingerprints()) };
    const refused = (detail: RegExp) => ({ status: 400, body: { detail: expect.stringMatching(detail) } });
    expect(await post()).toMatchObject(refused(missingStep));
    await insertFinishedTrial(world, where, "STEP", { ...tried, places: 49 });
    expect(await post()).toMatchObject(refused(missingStep));
    await insertFinishedTrial(world, where, "STEP", { ...tried, against: version });
    expect(await post()).toMatchObject(refused(missingStep));
    await insertFinishedTrial(world, where, "STEP", { ...tried, places: 3, is_whole: true });
    expect(await post()).toMatchObject(refused(missingLeak));
    await insertFinishedTrial(world, where, "LEAK", { ...tried, prompt_fingerprint: "of another text" });
    expect(await post()).toMatchObject(refused(missingLeak));
    expect(await post()).toMatchObject(refused(missingLeak));
    await insertFinishedTrial(world, where, "LEAK", { ...tried, skipped: true });
    expect(await post(), "its limit left all of it out").toMatchObject(refused(missingLeak));
    await insertFinishedTrial(world, where, "LEAK", tried);

    // Moving a reference changes the version's text.
    await author.post("/prompts/", { name: "part-of-it", prompt: "Say {{title}} twice." });
    expect(await post()).toMatchObject(refused(missingStep));
    const now = { ...tried, ...(await fingerprints()) };
    await insertFinishedTrial(world, where, "STEP", now);
    await insertFinishedTrial(world, where, "LEAK", now);
    expect(await post()).toMatchObject({ status: 201 });
    // From now on authors cannot change it, because learners receive it.
    expect(
      await author.post("/prompts/", { name: "part-of-it", prompt: "Say what nobody approved." }),
    ).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining(`tutor (version ${version})`) },
    });
  });

  it("once per name, also concurrently", async () => {
    const { approver, version, where, base, author } = await prepare();
    const { body: other } = await author.post("/prompts/", { name: "tutor", prompt: "Another {{title}}." });
    await insertTrialsOf(world, where, { version: other.version, against: base });
    const replies = await Promise.all(
      [version, other.version, version, other.version].map((candidate_version) =>
        approver.post(path, { candidate_version, share: 10 }),
      ),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    expect(replies.find(({ status }) => status === 409)?.body).toEqual({
      detail: "A rollout of this prompt is already running",
    });
  });
});

describe("a rollout ends", () => {
  it("once: promoted, stopped by a user or automatically, also concurrently", async () => {
    for (let round = 0; round < 5; round += 1) {
      const { one, approver, base, version, rollout } = await begun();
      const byItself = world.deps.db.execute(
        sql`select state from stop_rollout_and_notify(${rollout.id}, 'refusals', null, '{"at": "2026-03-10T12:00:00Z"}')`,
      );
      const [promoted, stopped, itself] = await Promise.all([
        approver.post(`${one}/promote`),
        approver.post(`${one}/stop`),
        byItself,
      ]);
      const won = [promoted.status === 200, stopped.status === 200, itself.rows.length === 1];
      expect(won.filter(Boolean)).toHaveLength(1);
      for (const { status } of [promoted, stopped]) expect([200, 409]).toContain(status);
      const { body } = await approver.get(one);
      expect(body.state).toBe(promoted.status === 200 ? "PROMOTED" : "STOPPED");
      expect(await productionNow(approver)).toBe(promoted.status === 200 ? version : base);
      expect(await approver.post(`${one}/stop`)).toMatchObject({
        status: 409,
        body: { detail: "This rollout has ended" },
      });
    }
  });

  it("when production moves, and its versions cannot be deleted before", async () => {
    const { one, approver, version, base, writer } = await begun();
    const refused = {
      status: 400,
      body: { detail: "A rollout of the prompt is already running with this version" },
    };
    for (const of of [version, base])
      expect(await approver.delete(`/prompts/tutor/versions/${of}`), String(of)).toMatchObject(refused);
    expect(await approver.delete("/prompts/tutor")).toMatchObject(refused);
    const { body: other } = await approver.post("/prompts/", { name: "tutor", prompt: "Third {{title}}." });
    await approver.patch(`/prompts/tutor/versions/${other.version}/labels`, { labels: ["production"] });
    expect((await approver.get(one)).body).toMatchObject({
      state: "STOPPED",
      stop_reason: "PRODUCTION_MOVED",
    });
    expect(await approver.delete(`/prompts/tutor/versions/${version}`)).toMatchObject({ status: 204 });
    expect((await approver.get(one)).body, "it outlives them").toMatchObject({ candidate_version: version });
    expect((await world.as(writer).get("/users/me/notifications")).body.notifications[0]).toMatchObject({
      kind: "rollout_stopped",
      title: `tutor ${version}`,
      rollout: { prompt_name: "tutor", version, stop_reason: "PRODUCTION_MOVED" },
    });
  });

  it("once, also if production moves concurrently, or is moved back", async () => {
    for (let round = 0; round < 5; round += 1) {
      const { one, approver, version, base } = await begun();
      const { body: other } = await approver.post("/prompts/", { name: "tutor", prompt: "Moved {{title}}." });
      const [promoted, moved] = await Promise.all([
        approver.post(`${one}/promote`),
        approver.patch(`/prompts/tutor/versions/${other.version}/labels`, { labels: ["production"] }),
      ]);
      expect(moved.status).toBe(200);
      const { body } = await approver.get(one);
      // The last change sets the label; a rollout that had ended does not revert it.
      const expected = promoted.status === 200 ? "PROMOTED" : "STOPPED";
      expect(body.state).toBe(expected);
      expect(await productionNow(approver)).toBe(other.version);
      expect([version, base]).not.toContain(other.version);
    }
  });

  it("and only by users who may move production", async () => {
    const { one, author, approver } = await begun();
    for (const verb of ["promote", "stop"]) {
      expect(await author.post(`${one}/${verb}`)).toMatchObject({ status: 403 });
      expect(await approver.post(`${path}/999999/${verb}`)).toMatchObject({ status: 404 });
    }
  });
});
