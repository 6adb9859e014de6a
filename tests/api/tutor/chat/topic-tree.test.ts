import { sql } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import type { Db } from "../../../../lib/platform/db/client.ts";
import { treeViolationsQuery } from "../../../../proof/chaos/tree-violations.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";
import {
  answerTo,
  chunksOf,
  eventsOf,
  hold,
  keepLeases,
  messageIdOf,
  openSession,
  textOf,
} from "./support.ts";

const world = openWorld();
const make = makersOf(world);
keepLeases(world);

afterEach(() => world.llm.reset());

/** A topic in which one learner was greeted and answered, and two more were greeted. */
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

const askedText = (questionId: string) => {
  const options = [
    { id: "A", text: "First" },
    { id: "B", text: "Second" },
  ];
  return `Think.\n\`\`\`mcq\n${JSON.stringify({ questionId, question: "Which?", options })}\n\`\`\``;
};

/** A topic whose greeting has a question with two options. */
async function asked() {
  const { item, university } = await make.topic();
  world.llm.script({ chunks: [askedText("q1")] });
  const learner = async () => openSession(world.as(await make.person()), item.id);
  const instructor = world.as(await make.holder("instructor", university.id));
  return { path: `/chat/topics/${item.id}/tree`, learner, instructor };
}

const violations = async (db: Db) => (await db.execute(sql.raw(treeViolationsQuery))).rows;

describe("the tree of a topic", () => {
  it("shows its nodes with their answers, hits and the number of sessions that left", async () => {
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

  it("shows how often each option of a question was chosen, in every spelling", async () => {
    const { path, instructor, learner } = await asked();
    const sessions = await Promise.all(Array.from({ length: 4 }, learner));
    for (const session of sessions) await session.say("Start.");
    expect((await instructor.get(path)).body.nodes[0].options).toMatchObject([
      { id: "A", text: "First", visits: 0, share: null },
      { id: "B", text: "Second", visits: 0, share: null },
    ]);
    const answers = ["A", "B", "Second", "none of these"];
    for (const [index, session] of sessions.entries())
      await session.say(answerTo("q1", answers[index] ?? ""));
    const [root] = (await instructor.get(path)).body.nodes;
    expect(root).toMatchObject({ question: { questionId: "q1" }, visits: 4, hits: 3, sessions_diverged: 1 });
    expect(root.options).toEqual([
      { id: "A", text: "First", visits: 1, share: 1 / 3 },
      { id: "B", text: "Second", visits: 2, share: 2 / 3 },
    ]);
  });

  it("deletes the subtree of a replaced text, and moves its sessions before the root", async () => {
    const { path, instructor, learners } = await visited();
    const [root] = (await instructor.get(path)).body.nodes;
    const answer = askedText("q9");
    await instructor.put(`${path}/nodes/${root.id}`, { answer });
    expect((await instructor.get(path)).body.nodes).toMatchObject([{ id: root.id, answer }]);
    for (const learner of learners) expect(await learner.read()).toMatchObject({ cache_node_id: null });
    expect(await violations(world.deps.db)).toEqual([]);
  });

  it("keeps the subtree if the question is the same, with the sessions there", async () => {
    const { path, instructor, learners } = await visited();
    const [root, child] = (await instructor.get(path)).body.nodes;
    await instructor.put(`${path}/nodes/${root.id}`, { answer: "Welcome." });
    expect((await instructor.get(path)).body.nodes).toMatchObject([{ id: root.id }, { id: child.id }]);
    expect(await learners[0]?.read()).toMatchObject({ cache_node_id: child.id });
    expect(await learners[2]?.read()).toMatchObject({ cache_node_id: root.id });
    expect(await violations(world.deps.db)).toEqual([]);
  });

  it.each([undefined, false])(
    "keeps the question, its key and the subtree for a text without a question, with removes_question %s",
    async (removes_question) => {
      const { path, instructor, learner } = await asked();
      const session = await learner();
      await session.say("Start.");
      const [root] = (await instructor.get(path)).body.nodes;
      const node = `${path}/nodes/${root.id}`;
      const { key } = (await instructor.put(`${node}/key`, { answer: "A" })).body;
      await session.say(answerTo("q1", "A"));
      const [before, child] = (await instructor.get(path)).body.nodes;
      const { body } = await instructor.put(node, { answer: "Plain words.", removes_question });
      expect(body).toMatchObject({ question: before.question, key, options: [{ id: "A" }, { id: "B" }] });
      expect(body.answer).toMatch(/^Plain words\.\n\n```mcq\n/);
      const ids = (await instructor.get(path)).body.nodes.map(({ id }: { id: number }) => id);
      expect(ids).toContain(child.id);
    },
  );

  it("removes the question on confirmation, and leaves none in the text", async () => {
    const { path, instructor, learner } = await asked();
    await (await learner()).say("Start.");
    const [root] = (await instructor.get(path)).body.nodes;
    const body = { answer: "Plain words.", removes_question: true };
    const removed = await instructor.put(`${path}/nodes/${root.id}`, body);
    expect(removed.body).toMatchObject({ answer: "Plain words.", question: null, options: [] });
  });

  it("rejects an outdated version also if it keeps the question", async () => {
    const { path, instructor, learner } = await asked();
    await (await learner()).say("Start.");
    const [root] = (await instructor.get(path)).body.nodes;
    const put = (answer: string) =>
      instructor.put(
        `${path}/nodes/${root.id}`,
        { answer },
        { headers: { "if-match": `"${root.version}"` } },
      );
    expect((await put("First.")).status).toBe(200);
    expect((await put("Second.")).status).toBe(412);
  });

  it("takes the question of the instructor's own text as data", async () => {
    const { path, instructor, item } = await visited();
    const [root] = (await instructor.get(path)).body.nodes;
    const replaced = await instructor.put(`${path}/nodes/${root.id}`, { answer: askedText("q9") });
    expect(replaced.body).toMatchObject({
      question: { questionId: "q9" },
      options: [{ id: "A" }, { id: "B" }],
    });
    const next = await openSession(world.as(await make.person()), item.id);
    expect(eventsOf(await next.say("Start.")).at(-1)).toMatchObject({ question: { questionId: "q9" } });
  });

  it.each(["replaced", "purged"])(
    "stores no answer that is being generated from a text that is %s; its learner is answered in private, and stays",
    async (happening) => {
      const { path, instructor, learner } = await asked();
      const session = await learner();
      await session.say("Start.");
      const [root] = (await instructor.get(path)).body.nodes;
      const { held, release } = hold();
      world.llm.script({ chunks: ["From the former text ", held, "…"] });
      const calls = world.llm.requests.length;
      const answered = session.say(answerTo("q1", "A"));
      await expect.poll(() => world.llm.requests.length).toBe(calls + 1);
      const node = `${path}/nodes/${root.id}`;
      await (happening === "replaced"
        ? instructor.put(node, { answer: "Welcome.", removes_question: true })
        : instructor.delete(node));
      release();
      const reply = await answered;
      expect(messageIdOf(reply)).toBeGreaterThan(0);
      expect((await session.read()).messages.at(-1)).toMatchObject({ content: textOf(reply) });
      expect(eventsOf(reply).at(-1)).toMatchObject({ done: true, path: "lost" });
      expect(await session.read()).toMatchObject({ cache_state: "TRACKING", cache_node_id: null });
      expect((await instructor.get(path)).body.total).toBe(happening === "replaced" ? 1 : 0);
      expect(await violations(world.deps.db)).toEqual([]);
    },
  );

  it("deletes a node with its descendants, and sessions there start again", async () => {
    const { path, instructor, learners } = await visited();
    const [root] = (await instructor.get(path)).body.nodes;
    expect((await instructor.delete(`${path}/nodes/${root.id}`)).status).toBe(204);
    expect((await instructor.get(path)).body).toMatchObject({ total: 0, nodes: [] });
    expect(await learners[0]?.read()).toMatchObject({ cache_node_id: null, cache_state: "TRACKING" });
    expect((await instructor.delete(`${path}/nodes/${root.id}`)).status).toBe(404);
  });

  it("accepts an instructor's question in models' formats too, and rejects an unreadable one", async () => {
    const { path, instructor } = await visited();
    const [root] = (await instructor.get(path)).body.nodes;
    const node = `${path}/nodes/${root.id}`;
    const block = (content: string) => ({ answer: `Well.\n\n\`\`\`mcq\n${content}\n\`\`\`` });
    const broken = await instructor.put(
      node,
      block('{"questionId": "q1", "question": "Which?", "options": ["a"]}'),
    );
    expect(broken.status).toBe(422);
    expect(broken.body.detail).toMatchObject([
      { loc: ["body", "answer"], msg: expect.stringContaining("question") },
    ]);
    const read = await instructor.put(
      node,
      block("{'questionId': 'q1', 'question': 'Which?', 'options': ['a', 'b'],}"),
    );
    const options = ["a", "b"].map((text, at) => ({ id: "AB"[at], text }));
    const question = { questionId: "q1", question: "Which?", options };
    expect(read.body).toMatchObject({ question, answer: block(JSON.stringify(question)).answer });
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
