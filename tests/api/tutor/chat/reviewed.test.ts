import { sql } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { treeViolationsQuery } from "../../../../proof/chaos/tree-violations.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";
import { answerTo, eventsOf, hold, keepLeases, openSession, textOf } from "./support.ts";

const world = openWorld();
const make = makersOf(world);
keepLeases(world);

afterEach(() => world.llm.reset());

const violations = async () => (await world.deps.db.execute(sql.raw(treeViolationsQuery))).rows;

const asking = (words: string, questionId = "q1") =>
  `${words}\n\`\`\`mcq\n${JSON.stringify({
    questionId,
    question: "Which?",
    options: [
      { id: "A", text: "First" },
      { id: "B", text: "Second" },
    ],
  })}\n\`\`\``;

const calls = () => world.llm.requests.length;

async function reviewedTopic() {
  const made = await make.topic();
  const instructor = world.as(await make.holder("instructor", made.university.id));
  const put = await instructor.put(`/content/${made.item.id}`, { tutor_mode: "reviewed" });
  expect(put.body.tutor_mode).toBe("REVIEWED");
  const path = `/chat/topics/${made.item.id}/tree`;
  const tree = async (query = "") => (await instructor.get(path + query)).body;
  const learner = async (item = made.item.id) => openSession(world.as(await make.person()), item);
  const approve = (id: number, headers?: Record<string, string>) =>
    instructor.put(`${path}/nodes/${id}`, { approved: true }, headers && { headers });
  return { ...made, instructor, path, tree, learner, approve };
}

type Topic = Awaited<ReturnType<typeof reviewedTopic>>;

/** One whose root is pending review, and the learner who received it privately. */
async function waitingTopic() {
  const made = await reviewedTopic();
  world.llm.script({ chunks: [asking("Shared.")] });
  const first = await made.learner();
  const told = await first.say("Start.");
  const [root] = (await made.tree()).nodes;
  return { ...made, first, told, root };
}

/** That no learner is on a node, has visited it, or has it as a tree answer. */
const tracesOf = async (node: number) => {
  const { rows } = await world.deps.db.execute(sql`
    select (select count(*) from chat_sessions where cache_node_id = ${node})
         + (select count(*) from cache_visits where node_id = ${node})
         + (select count(*) from chat_messages where cache_node_id = ${node}) as traces`);
  const [found] = rows as { traces: number }[];
  return Number(found?.traces);
};

describe("an item with reviewed answers", () => {
  it("stores a new answer as pending: a call generates it, and the learner gets it in private", async () => {
    const { told, tree, root, first } = await waitingTopic();
    expect(calls()).toBe(1);
    expect(textOf(told)).toBe(asking("Shared."));
    expect(eventsOf(told).at(-1)).toMatchObject({ done: true, path: "lost" });
    expect(root).toMatchObject({ message: "Start.", is_waiting: true, visits: 0, hits: 0 });
    expect(await tree()).toMatchObject({ total: 1, waiting: 1 });
    expect(await first.read()).toMatchObject({ cache_state: "TRACKING" });
    expect(await first.lastMeta()).toMatchObject({ source: "llm", path: "lost" });
    expect(await tracesOf(root.id)).toBe(0);
    expect(await violations()).toEqual([]);
  });

  it("gives later learners private answers, and they stay on the path, also with a private question", async () => {
    const { learner, root, tree } = await waitingTopic();
    world.llm.script({ chunks: [asking("Private.", "p1")] });
    const second = await learner();
    const greeted = await second.say("Start.");
    expect(textOf(greeted)).toBe(asking("Private.", "p1"));
    expect(eventsOf(greeted).at(-1)).toMatchObject({ done: true, path: "lost" });
    world.llm.script({ chunks: ["And so it is."] });
    expect(textOf(await second.say(answerTo("p1", "A")))).toBe("And so it is.");
    expect(await second.read()).toMatchObject({ cache_state: "TRACKING" });
    expect(await tree()).toMatchObject({ total: 1, waiting: 1 });
    expect(await tracesOf(root.id)).toBe(0);
  });

  it("serves approved answers from then on without a call, and answers below them are pending again", async () => {
    const { learner, root, tree, approve, first } = await waitingTopic();
    expect((await approve(root.id)).body).toMatchObject({ is_waiting: false, version: 2 });
    const before = calls();
    for (const one of [await learner(), first]) {
      expect(textOf(await one.say("Start."))).toBe(asking("Shared."));
      expect(await one.lastMeta()).toMatchObject({ source: "cache", cache_node_id: root.id });
    }
    expect(calls()).toBe(before);
    world.llm.script({ chunks: ["Below."] });
    expect(eventsOf(await first.say(answerTo("q1", "A"))).at(-1)).toMatchObject({ path: "lost" });
    const { nodes, waiting } = await tree("?waiting=true");
    expect([waiting, nodes.length]).toEqual([1, 1]);
    expect(nodes[0]).toMatchObject({ parent_id: root.id, is_waiting: true });
    expect((await tree("?waiting=false")).nodes.map(({ id }: { id: number }) => id)).toEqual([root.id]);
    const audited = await world.deps.db.execute(
      sql`select details ->> 'node_id' as node from audit_events where action = 'tutor_answer.approved'
          and details ->> 'node_id' = ${String(root.id)}`,
    );
    expect(audited.rows).toHaveLength(1);
    expect(await violations()).toEqual([]);
  });

  it("is approved by a staff text, and pending again after an undo", async () => {
    const { learner, root, instructor, path, tree } = await waitingTopic();
    const edited = await instructor.put(`${path}/nodes/${root.id}`, { answer: asking("By hand.") });
    expect(edited.body.is_waiting).toBe(false);
    expect(textOf(await (await learner()).say("Start."))).toBe(asking("By hand."));
    const [change] = (await instructor.get(`${path}/changes`)).body;
    expect((await instructor.post(`${path}/changes/${change.id}/undo`)).status).toBe(204);
    expect((await tree()).nodes[0]).toMatchObject({ is_waiting: true, answer: asking("Shared.") });
    world.llm.script({ chunks: ["Private."] });
    expect(textOf(await (await learner()).say("Start."))).toBe("Private.");
  });

  it("serves earlier answers immediately, and pending ones once the review ends", async () => {
    const made = await waitingTopic();
    const before = calls();
    await made.instructor.put(`/content/${made.item.id}`, { tutor_mode: "IMMEDIATE" });
    expect(textOf(await (await made.learner()).say("Start."))).toBe(asking("Shared."));
    expect(await made.tree()).toMatchObject({ waiting: 0 });
    const other = await make.topic();
    const staff = world.as(await make.holder("instructor", other.university.id));
    world.llm.script({ chunks: ["Stored."] });
    await (await openSession(world.as(await make.person()), other.item.id)).say("Start.");
    await staff.put(`/content/${other.item.id}`, { tutor_mode: "REVIEWED" });
    const told = await (await openSession(world.as(await make.person()), other.item.id)).say("Start.");
    expect(textOf(told)).toBe("Stored.");
    expect(calls()).toBe(before + 1);
  });

  it("is copied with its mode, and an answer that waits waits in the copy too", async () => {
    const { course, university, item, learner, approve, root } = await waitingTopic();
    const admin = world.as(await make.holder("university_admin", university.id));
    const copyOf = async () => {
      expect((await admin.post(`/courses/${course.id}/copy`, {})).status).toBe(201);
      const { rows } = await world.deps.db.execute(
        sql`select id, tutor_mode from content_items where origin_item_id = ${item.id} order by id desc limit 1`,
      );
      return rows[0] as { id: number; tutor_mode: string };
    };
    const copy = await copyOf();
    expect(copy.tutor_mode).toBe("reviewed");
    world.llm.script({ chunks: ["Private."] });
    expect(textOf(await (await learner(copy.id)).say("Start."))).toBe("Private.");
    expect((await admin.get(`/chat/topics/${copy.id}/tree`)).body).toMatchObject({ total: 1, waiting: 1 });
    await approve(root.id);
    const next = await copyOf();
    const before = calls();
    expect(textOf(await (await learner(next.id)).say("Start."))).toBe(asking("Shared."));
    expect(calls()).toBe(before);
  });
});

describe("approving", () => {
  it("is for authors of the course's content, once, and of the version that was read", async () => {
    const { approve, root, path, university, instructor } = await waitingTopic();
    const ta = world.as(await make.holder("ta", university.id));
    const put = { approved: true };
    expect((await ta.put(`${path}/nodes/${root.id}`, put)).status).toBe(403);
    expect((await world.as(await make.person()).put(`${path}/nodes/${root.id}`, put)).status).toBe(404);
    expect((await approve(root.id, { "if-match": '"7"' })).status).toBe(412);
    for (const bad of [
      {},
      { approved: false },
      { approved: "yes" },
      { answer: "" },
      { answer: "By hand.", approved: false },
    ])
      expect((await instructor.put(`${path}/nodes/${root.id}`, bad)).status, JSON.stringify(bad)).toBe(422);
    expect((await approve(root.id, { "if-match": '"1"' })).status).toBe(200);
    expect((await approve(root.id)).body.version).toBe(2);
    expect((await approve(root.id + 1_000_000)).status).toBe(404);
  });

  const races: [string, (topic: Topic, id: number) => Promise<{ status: number }>, number[]][] = [
    ["a purge", ({ instructor, path }, id) => instructor.delete(`${path}/nodes/${id}`), [204]],
    [
      "an edit",
      ({ instructor, path }, id) => instructor.put(`${path}/nodes/${id}`, { answer: asking("By hand.") }),
      [200],
    ],
  ];
  it.each(races)("races %s, and serves no pending answer", async (_, other, ends) => {
    for (let round = 0; round < 5; round += 1) {
      const made = await waitingTopic();
      const [approved, done] = await Promise.all([made.approve(made.root.id), other(made, made.root.id)]);
      expect([200, 404]).toContain(approved.status);
      expect(ends).toContain(done.status);
      for (const node of (await made.tree()).nodes) expect(node.is_waiting).toBe(false);
      expect(await violations()).toEqual([]);
      world.llm.reset();
    }
  });

  it("lets a class that arrives during the generation get it, with one call and one pending answer", async () => {
    const { learner, tree } = await reviewedTopic();
    const learners = await Promise.all(Array.from({ length: 8 }, () => learner()));
    const { held, release } = hold();
    world.llm.script({ chunks: ["Made ", held, "once."] });
    const before = calls();
    const told = learners.map((one) => one.say("Start."));
    const joined = sql`select from chat_sessions where answering_generation_id is not null`;
    await expect.poll(async () => (await world.deps.db.execute(joined)).rows.length).toBe(8);
    release();
    for (const one of await Promise.all(told)) expect(textOf(one)).toBe("Made once.");
    expect(calls()).toBe(before + 1);
    const { nodes, waiting } = await tree();
    expect([nodes.length, waiting]).toEqual([1, 1]);
    expect(await tracesOf(nodes[0].id)).toBe(0);
    for (const one of learners) expect(await one.read()).toMatchObject({ cache_state: "TRACKING" });
    expect(await violations()).toEqual([]);
  });

  it("works during a learner's private answer: the next learner gets the approved one", async () => {
    const { learner, root, approve } = await waitingTopic();
    const { held, release } = hold();
    world.llm.script({ chunks: ["Private ", held, "words."] });
    const one = await learner();
    const before = calls();
    const told = one.say("Start.");
    await expect.poll(calls).toBe(before + 1);
    expect((await approve(root.id)).status).toBe(200);
    release();
    expect(textOf(await told)).toBe("Private words.");
    expect(textOf(await one.say("Start."))).toBe(asking("Shared."));
    expect(await violations()).toEqual([]);
  });
});
