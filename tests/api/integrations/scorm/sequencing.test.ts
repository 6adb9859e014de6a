import { describe, expect, it } from "vitest";
import { controlMode, packSequenced } from "../../../support/sequenced-scorm.ts";
import { openWorld } from "../../../support/world.ts";
import { openPackage } from "./open-package.ts";

const world = openWorld();

const archive = packSequenced(
  [{ id: "intro" }, { id: "folder", items: [{ id: "quiz" }, { id: "end" }] }],
  controlMode('flow="true"'),
);

const report = (next: string | null, more: object = {}) => ({
  ...{ state: JSON.stringify({ at: next }), next, completed: false, passed: null, scaled: null },
  ...more,
});

describe("a sequenced package", () => {
  it("is checked with its tree, which a launch returns", async () => {
    const at = await openPackage(world, { archive });
    expect(at.checked.body).toMatchObject({
      is_sequenced: true,
      scos: [{ id: "intro" }, { id: "quiz" }, { id: "end" }],
    });
    const { body } = await at.launch();
    expect([body.sco, body.start.sequencing.state]).toEqual(["intro", null]);
    expect(body.start.sequencing.tree).toMatchObject({
      id: "org",
      sequencingControls: { flow: true, choice: true },
      children: [{ id: "intro" }, { id: "folder", children: [{ id: "quiz" }, { id: "end" }] }],
    });
    const plain = await openPackage(world, { version: "2004" });
    expect(plain.checked.body.is_sequenced).toBe(false);
    expect((await plain.launch()).body.start.sequencing).toBeUndefined();
  });

  it("continues with the item and the state that its player stored, and has the rolled-up result", async () => {
    const at = await openPackage(world, { archive, data: { completion: "passed" } });
    const { body: first } = await at.launch();
    const commit = (launch: { session: string }, sequence: number, sequencing: object) =>
      at.asLearner.post("/scorm/commits", {
        ...{ session: launch.session, sequence, cmi: { completion_status: "completed" }, sequencing },
      });
    const kept = await commit(first, 1, report("quiz", { scaled: 0.25 }));
    expect([kept.status, kept.body]).toMatchObject([200, { score_scaled: 0.25, completed_at: null }]);
    const { body: second } = await at.launch();
    expect([second.sco, second.attempt_id, second.start.sequencing.state]).toEqual([
      ...["quiz", first.attempt_id, '{"at":"quiz"}'],
    ]);
    const late = await commit(first, 2, report("end"));
    expect(late.status).toBe(409);
    const done = await commit(second, 1, report("end", { completed: true, passed: true, scaled: 0.75 }));
    expect(done.body).toMatchObject({ score_scaled: 0.75, passed: true, completed_at: expect.any(String) });
    const { body: fresh } = await at.launch({ new_attempt: true });
    expect([fresh.attempt_number, fresh.sco, fresh.start.sequencing.state]).toEqual([2, "intro", null]);
  });

  it("rejects a state or a score beyond the bounds, and ignores a state of another package", async () => {
    const at = await openPackage(world, { archive });
    const { body: launch } = await at.launch();
    const send = (sequencing: object) =>
      at.asLearner.post("/scorm/commits", { session: launch.session, sequence: 1, cmi: {}, sequencing });
    for (const bad of [
      report("quiz", { state: "x".repeat(400_001) }),
      report("quiz", { scaled: 1.5 }),
      report("quiz", { passed: "yes" }),
      { state: "{}" },
    ])
      expect((await send(bad)).status).toBe(422);
    const plain = await openPackage(world);
    const { body: other } = await plain.launch();
    const { body } = await plain.asLearner.post("/scorm/commits", {
      ...{ session: other.session, sequence: 1, cmi: { core: { lesson_status: "incomplete" } } },
      sequencing: report(null, { completed: true, passed: true, scaled: 1 }),
    });
    expect(body).toMatchObject({ completed_at: null, score_scaled: null });
  });

  it("of which a stored item is gone starts with the first that is not complete", async () => {
    const at = await openPackage(world, { archive });
    const { body: launch } = await at.launch();
    const sequencing = report("gone");
    await at.asLearner.post("/scorm/commits", { session: launch.session, sequence: 1, cmi: {}, sequencing });
    expect((await at.launch()).body.sco).toBe("intro");
  });
});
