import { describe, expect, it } from "vitest";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";
import { answerTo, chunksOf, openSession } from "./support.ts";

const world = openWorld();
const make = makersOf(world);

/** A topic on which one learner was greeted and answered, and two more were greeted. */
async function visited() {
  const made = await make.topic();
  const learners = await Promise.all(
    [1, 2, 3].map(async () => openSession(world.as(await make.person()), made.item.id)),
  );
  for (const learner of learners) await learner.say("Start.");
  await learners[0]?.say(answerTo("q1", "B"));
  await learners[1]?.say("But why?");
  const path = `/chat/topics/${made.item.id}/tree`;
  const instructor = world.as(await make.holder("instructor", made.university.id));
  return { ...made, path, instructor, learners };
}

describe("the tree of a topic", () => {
  it("shows its nodes with their answers, hits and where sessions left", async () => {
    const { path, instructor } = await visited();
    const { body } = await instructor.get(path);
    expect(body).toMatchObject({ total: 2, sessions_diverged_at_start: 0 });
    const [root, child] = body.nodes;
    expect(root).toMatchObject({
      parent_id: null,
      message: "Start.",
      hits: 2,
      sessions_diverged: 1,
      edited_by: null,
    });
    expect(root.answer).toContain("Start.");
    expect(child).toMatchObject({ parent_id: root.id, message: '{"answer":"B","questionId":"q1"}', hits: 0 });
    expect((await instructor.get(`${path}?skip=1&limit=1`)).body.nodes).toEqual([child]);
  });

  it("is for the staff of its university", async () => {
    const { path, university } = await visited();
    const elsewhere = await make.university();
    expect((await world.as(await make.holder("ta", university.id)).get(path)).status).toBe(200);
    for (const outsider of [await make.person(), await make.holder("university_admin", elsewhere.id)])
      expect((await world.as(outsider).get(path)).status).toBe(404);
  });

  it("gives later learners the instructor's own text, marked as such", async () => {
    const { path, instructor, item } = await visited();
    const [root] = (await instructor.get(path)).body.nodes;
    const replaced = await instructor.put(`${path}/nodes/${root.id}`, {
      answer: "Welcome, says your teacher.",
    });
    expect(replaced.body).toMatchObject({
      answer: "Welcome, says your teacher.",
      edited_by: expect.any(Number),
      edited_at: expect.any(String),
    });
    const next = await openSession(world.as(await make.person()), item.id);
    expect(chunksOf(await next.say("Start."))).toEqual(["Welcome, says your teacher."]);
  });

  it("forgets a node with its descendants, and the sessions there begin anew", async () => {
    const { path, instructor, learners } = await visited();
    const [root] = (await instructor.get(path)).body.nodes;
    expect((await instructor.delete(`${path}/nodes/${root.id}`)).status).toBe(204);
    expect((await instructor.get(path)).body).toMatchObject({ total: 0, nodes: [] });
    expect(await learners[0]?.read()).toMatchObject({ cache_node_id: null, cache_state: "TRACKING" });
    expect((await instructor.delete(`${path}/nodes/${root.id}`)).status).toBe(404);
  });

  it("is written by instructors only, and within its own topic", async () => {
    const { path, instructor, university } = await visited();
    const [root] = (await instructor.get(path)).body.nodes;
    const assistant = world.as(await make.holder("ta", university.id));
    expect((await assistant.delete(`${path}/nodes/${root.id}`)).status).toBe(403);
    expect((await assistant.put(`${path}/nodes/${root.id}`, { answer: "x" })).status).toBe(403);
    const other = await visited();
    expect((await other.instructor.delete(`${other.path}/nodes/${root.id}`)).status).toBe(404);
    expect((await instructor.put(`${path}/nodes/${root.id}`, { answer: " " })).status).toBe(422);
  });
});
