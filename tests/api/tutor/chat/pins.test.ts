import { sql } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { pruneAnswerTree } from "../../../../lib/tutor/chat/prune.ts";
import { treeViolationsQuery } from "../../../../proof/chaos/tree-violations.ts";
import type { Client } from "../../../support/client.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";
import { answerTo, eventsOf, hold, keepLeases, openSession, textOf } from "./support.ts";

const world = openWorld();
const make = makersOf(world);
keepLeases(world);

afterEach(() => world.llm.reset());

const violations = async () => (await world.deps.db.execute(sql.raw(treeViolationsQuery))).rows;

const asking = (words: string, ...texts: string[]) => {
  const options = texts.map((text, index) => ({ id: "ABCD".charAt(index), text }));
  return `${words}\n\`\`\`mcq\n${JSON.stringify({ questionId: "q1", question: "Which?", options })}\n\`\`\``;
};

const greeting = asking("Wellcome.", "First", "Second");
const corrected = asking("Welcome.", "First", "Second");

/** A topic with a greeting question and a branch below A, an instructor, and learners. */
async function topic(words = greeting) {
  const made = await make.topic();
  const instructor = world.as(await make.holder("instructor", made.university.id));
  const path = `/chat/topics/${made.item.id}/tree`;
  world.llm.script({ chunks: [words] });
  const learner = async (item = made.item.id) => openSession(world.as(await make.person()), item);
  const first = await learner();
  await first.say("Start.");
  await first.say(answerTo("q1", "A"));
  const nodes = async () => (await instructor.get(path)).body.nodes;
  const [root, child] = await nodes();
  return { ...made, instructor, path, learner, nodes, root, child };
}

const calls = () => world.llm.requests.length;

/** The answer for a new learner who chooses A. */
async function toldBelowA(
  learner: { say: (words: string) => Promise<never> } | Awaited<ReturnType<typeof openSession>>,
) {
  const greeted = textOf(await learner.say("Start."));
  return [greeted, textOf(await learner.say(answerTo("q1", "A")))];
}

describe("a correction", () => {
  it("costs none of eight learners their path, and no call", async () => {
    const { instructor, path, root, learner } = await topic();
    const learners = await Promise.all(Array.from({ length: 8 }, () => learner()));
    for (const one of learners) await one.say("Start.");
    const before = calls();
    expect((await instructor.put(`${path}/nodes/${root.id}`, { answer: corrected })).status).toBe(200);
    for (const one of learners) await one.say(answerTo("q1", "A"));
    expect(calls()).toBe(before);
    for (const one of learners) expect(await one.read()).toMatchObject({ cache_state: "TRACKING" });
    expect(await violations()).toEqual([]);
  });

  it("lives through changes of the item, a renamed module and course, a prompt version, a copy, a term, and forty days", async () => {
    const { instructor, path, child, item, course, module, university, learner } = await topic();
    const admin = world.as(await make.holder("university_admin", university.id));
    const platform = world.as(await make.holder("platform_admin", university.id));
    await instructor.put(`${path}/nodes/${child.id}`, { answer: "Right, and here is why." });
    const said = async (id = item.id) => {
      world.llm.script({ chunks: [greeting] });
      return (await toldBelowA(await learner(id)))[1];
    };
    const edits: [Client, string, object][] = [
      [instructor, `/content/${item.id}`, { description: "In other words" }],
      [instructor, `/content/${item.id}`, { title: "Another title" }],
      [instructor, `/modules/${module.id}`, { title: "Another module" }],
      [admin, `/courses/${course.id}`, { title: "Another course" }],
    ];
    for (const [who, at, change] of edits) {
      expect((await who.put(at, change)).status, at).toBe(200);
      expect(await said(), JSON.stringify(change)).toBe("Right, and here is why.");
    }
    const prompt = { name: "tutor", prompt: "Teach {{content}}, and ask.", labels: ["production"] };
    expect((await platform.post("/prompts", prompt)).status).toBe(201);
    expect(await said(), "a new version").toBe("Right, and here is why.");
    const copy = await admin.post(`/courses/${course.id}/copy`, {});
    expect(copy.status).toBe(201);
    const [copied] = (
      await world.deps.db.execute(sql`select id from content_items where origin_item_id = ${item.id}`)
    ).rows as { id: number }[];
    const before = calls();
    expect(await said(copied?.id), "a copy").toBe("Right, and here is why.");
    expect(calls(), "a copy").toBe(before);
    await world.deps.db.execute(
      sql`update cache_nodes set last_used_at = last_used_at - interval '401 days'`,
    );
    await world.deps.db.execute(sql`delete from cache_visits`);
    await pruneAnswerTree(world.deps.db, world.deps.config, new AbortController().signal);
    expect((await instructor.get(path)).body.total).toBe(0);
    expect(await said(), "after the pruning").toBe("Right, and here is why.");
    expect(await violations()).toEqual([]);
    world.llm.reset();
    await world.deps.db.execute(sql`update prompt_labels set prompt_id = (
      select max(id) from prompts where name = 'tutor' and prompt like '%Start from what the learner did%')
      where name = 'tutor' and label = 'production'`);
  });

  it("is served from the pinned place although an answer there was pending", async () => {
    const { instructor, path, child, learner, item } = await topic();
    await instructor.put(`/content/${item.id}`, { description: "Else" });
    world.llm.script({ chunks: [greeting] });
    const one = await learner();
    await one.say("Start.");
    const { held, release } = hold();
    world.llm.script({ chunks: ["By a ", held, "model."] });
    const before = calls();
    const answered = one.say(answerTo("q1", "A"));
    await expect.poll(calls).toBe(before + 1);
    await instructor.put(`${path}/nodes/${child.id}`, { answer: "By hand." });
    release();
    expect(textOf(await answered)).toBe("By hand.");
    expect(await violations()).toEqual([]);
  });
});

describe("a pin whose question changed", () => {
  async function stale() {
    const made = await topic();
    const { instructor, path, root, child, learner } = made;
    await instructor.put(`${path}/nodes/${child.id}`, { answer: "By hand." });
    await instructor.put(`${path}/nodes/${root.id}`, { answer: asking("Welcome.", "First", "Other") });
    const one = await learner();
    await one.say("Start.");
    return { ...made, one };
  }

  it("is served to no one and listed as stale, with the current question, until it is confirmed", async () => {
    const { instructor, path, one, learner } = await stale();
    expect(textOf(await one.say(answerTo("q1", "A")))).not.toBe("By hand.");
    const pins = (await instructor.get(`${path}/pins`)).body;
    const pin = pins.find(({ answer }: { answer: string }) => answer === "By hand.");
    expect(pin).toMatchObject({ state: "STALE", path: ["Start.", answerTo2("q1", "A")] });
    expect(pin.asked_now.options[1].text).toBe("Other");
    expect((await instructor.post(`${path}/pins/${pin.id}/confirm`)).status).toBe(204);
    expect((await instructor.get(`${path}/pins`)).body).toContainEqual(
      expect.objectContaining({ id: pin.id, state: "LIVE", asked_now: null }),
    );
    expect((await toldBelowA(await learner()))[1]).toBe("By hand.");
    expect((await instructor.post(`${path}/pins/${pin.id}/confirm`)).status).toBe(400);
    expect(await violations()).toEqual([]);
  });

  it("is dropped with one request, by staff with write access", async () => {
    const { instructor, path, university } = await stale();
    const [pin] = (await instructor.get(`${path}/pins`)).body;
    const assistant = world.as(await make.holder("ta", university.id));
    expect((await assistant.get(`${path}/pins`)).body).toHaveLength(2);
    expect((await assistant.delete(`${path}/pins/${pin.id}`)).status).toBe(403);
    expect((await assistant.post(`${path}/pins/${pin.id}/confirm`)).status).toBe(403);
    expect((await instructor.delete(`${path}/pins/${pin.id}`)).status).toBe(204);
    expect((await instructor.delete(`${path}/pins/${pin.id}`)).status).toBe(404);
    expect((await world.as(await make.person()).get(`${path}/pins`)).status).toBe(404);
  });
});

/** An answer's normal form, as stored in the tree. */
const answerTo2 = (questionId: string, answer: string) => JSON.stringify({ answer, questionId });

describe("a learner whose path changes", () => {
  it("is answered in private for the previous question, any number of times, and returns by Start.", async () => {
    const { instructor, path, root, learner } = await topic();
    const one = await learner();
    await one.say("Start.");
    await instructor.put(`${path}/nodes/${root.id}`, { answer: asking("Welcome.", "Other", "Another") });
    world.llm.script({ chunks: [asking("Go on.", "This", "That")] });
    for (const answer of ["B", "That"]) {
      const told = await one.say(answerTo("q1", answer));
      expect(eventsOf(told).at(-1)).toMatchObject({ done: true, path: "lost" });
      expect(await one.read()).toMatchObject({ cache_state: "TRACKING", cache_node_id: null });
      expect(await one.lastMeta()).toMatchObject({ source: "llm", path: "lost" });
    }
    expect(textOf(await one.say("Start."))).toContain("Welcome.");
    expect(await one.read()).toMatchObject({ cache_state: "TRACKING", cache_node_id: root.id });
    await instructor.delete(`${path}/nodes/${root.id}`);
    await one.say(answerTo("q1", "none of these"));
    expect(await one.read()).toMatchObject({ cache_state: "DIVERGED" });
  });
});

describe("a former option of a path that is gone", () => {
  const offered = asking("Welcome.", "Yes", "ﬁrst", "First", "Aa");

  it.each([
    ["an id", "A"],
    ["an id as it may be typed", " b "],
    ["an id in another width", "Ａ"],
    ["a text", "Yes"],
    ["a text in capitals", "YES"],
    ["a text in a compatible form", "ＹＥＳ\u200b"],
    ["one of two texts as it is", "ﬁrst"],
  ])("is answered in private by %s, and leaves the session in the tree", async (_, answer) => {
    const { instructor, path, root, learner } = await topic(offered);
    const one = await learner();
    await one.say("Start.");
    await instructor.delete(`${path}/nodes/${root.id}`);
    expect(eventsOf(await one.say(answerTo("q1", answer))).at(-1)).toMatchObject({ path: "lost" });
    expect(await one.read()).toMatchObject({ cache_state: "TRACKING", cache_node_id: null });
  });

  it.each([
    ["fits two texts alone without case and form", "q1", "FIRST"],
    ["fits none", "q1", "Maybe"],
    ["fits but is of another question", "q2", "A"],
    ["is a text that no database reads", "q1", "\u0000\ud800"],
  ])("is not matched by an answer that %s", async (_, question, answer) => {
    const { instructor, path, root, learner } = await topic(offered);
    const one = await learner();
    await one.say("Start.");
    await instructor.delete(`${path}/nodes/${root.id}`);
    expect(eventsOf(await one.say(answerTo(question, answer))).at(-1)).not.toHaveProperty("path");
    expect(await one.read()).toMatchObject({ cache_state: "DIVERGED" });
  });
});

describe("the history of a tree", () => {
  it("takes an edit and a purge back, each once, and the last one first", async () => {
    const { instructor, path, root, child, nodes } = await topic();
    await instructor.put(`${path}/nodes/${root.id}`, { answer: asking("Welcome.", "Other", "Another") });
    expect(await nodes()).toMatchObject([{ id: root.id, is_pinned: true, version: 2 }]);
    const [change] = (await instructor.get(`${path}/changes`)).body;
    expect(change).toMatchObject({
      action: "REPLACED",
      node_id: root.id,
      path: ["Start."],
      former_answer: greeting,
      removed_count: 1,
      can_undo: true,
    });
    const undo = (id: number) => instructor.post(`${path}/changes/${id}/undo`);
    expect((await undo(change.id)).status).toBe(204);
    expect((await instructor.get(`${path}/changes`)).body).toMatchObject([
      { can_undo: false, undone_by: expect.any(Number) },
    ]);
    expect((await undo(change.id)).status).toBe(400);
    expect(await nodes()).toMatchObject([
      { id: root.id, answer: greeting, edited_by: null, is_pinned: false },
      { id: child.id },
    ]);
    await instructor.delete(`${path}/nodes/${root.id}`);
    const [purged] = (await instructor.get(`${path}/changes?limit=1`)).body;
    expect(purged).toMatchObject({ action: "PURGED", can_undo: true });
    expect((await undo(purged.id)).status).toBe(204);
    expect(await nodes()).toMatchObject([{ id: root.id }, { id: child.id }]);
    expect((await undo(99_999)).status).toBe(404);
    expect(await violations()).toEqual([]);
  });

  it("is for staff, and can be undone by staff with write access", async () => {
    const { instructor, path, root, university } = await topic();
    await instructor.put(`${path}/nodes/${root.id}`, { answer: corrected });
    const assistant = world.as(await make.holder("ta", university.id));
    const [change] = (await assistant.get(`${path}/changes`)).body;
    expect((await assistant.post(`${path}/changes/${change.id}/undo`)).status).toBe(403);
    const outsider = world.as(await make.person());
    expect((await outsider.get(`${path}/changes`)).status).toBe(404);
    expect((await outsider.post(`${path}/changes/${change.id}/undo`)).status).toBe(404);
    const audited = await world.deps.db.execute(
      sql`select action from audit_events where details ->> 'node_id' = ${String(root.id)}`,
    );
    expect(audited.rows).toEqual([{ action: "tutor_answer.replaced" }]);
  });
});

describe("a node", () => {
  it("is written only in the version that the caller read, if named", async () => {
    const { instructor, path, root } = await topic();
    const node = `${path}/nodes/${root.id}`;
    const ifMatch = (version: number) => ({ headers: { "if-match": `"${version}"` } });
    expect((await instructor.put(node, { answer: corrected }, ifMatch(root.version))).status).toBe(200);
    const late = await instructor.put(node, { answer: "Hello." }, ifMatch(root.version));
    expect(late).toMatchObject({
      status: 412,
      body: { detail: expect.any(String), current: { id: root.id, answer: corrected, version: 2 } },
    });
    expect((await instructor.delete(node, ifMatch(root.version))).status).toBe(412);
    expect((await instructor.delete(node, ifMatch(2))).status).toBe(204);
  });

  it("is live while new conversations get its answer", async () => {
    const { instructor, nodes, item, learner } = await topic();
    expect(await nodes()).toMatchObject([{ is_live: true }, { is_live: true }]);
    await instructor.put(`/content/${item.id}`, { title: "Another title" });
    expect(await nodes()).toMatchObject([{ is_live: false }, { is_live: false }]);
    await (await learner()).say("Start.");
    expect(await nodes()).toMatchObject([{ is_live: false }, { is_live: false }, { is_live: true }]);
  });
});

describe("a copied course", () => {
  it("answers its first learner without a call, and counts for itself", async () => {
    const { course, item, university, learner, instructor } = await topic();
    const admin = world.as(await make.holder("university_admin", university.id));
    await admin.post(`/courses/${course.id}/copy`, { title: "Next term", code: "NEXT-1" });
    const copies = await world.deps.db.execute(
      sql`select id from content_items where origin_item_id = ${item.id}`,
    );
    const id = Number(copies.rows[0]?.["id"]);
    const before = calls();
    const told = await toldBelowA(await learner(id));
    expect(told[0]).toBe(greeting);
    expect(calls()).toBe(before);
    const { nodes } = (await instructor.get(`/chat/topics/${id}/tree`)).body;
    expect(nodes).toMatchObject([
      { hits: 1, visits: 1, is_live: true, origin_node_id: expect.any(Number) },
      { hits: 1, visits: 1, is_live: true, origin_node_id: expect.any(Number) },
    ]);
    expect((await admin.get(`/content/${id}`)).body).toMatchObject({ origin_item_id: item.id });
    expect(await violations()).toEqual([]);
  });
});
