import { and, eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { contentItems } from "../../../../schema/db/courses/content-items.ts";
import { courses } from "../../../../schema/db/courses/courses.ts";
import { cacheNodes, cacheVisits } from "../../../../schema/db/tutor/cache.ts";
import {
  promptDependencies,
  promptLabels,
  promptNames,
  prompts,
} from "../../../../schema/db/tutor/prompts.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";
import { answerTo, chunksOf, eventsOf, openSession } from "./support.ts";

const world = openWorld();
const make = makersOf(world);

async function learner(itemId: number) {
  return openSession(world.as(await make.person()), itemId);
}

const nodesOf = (itemId: number) =>
  world.deps.db.select().from(cacheNodes).where(eq(cacheNodes.content_item_id, itemId));

async function tutorVersion(): Promise<number | undefined> {
  const [live] = await world.deps.db
    .select({ version: prompts.version })
    .from(promptLabels)
    .innerJoin(prompts, eq(prompts.id, promptLabels.prompt_id))
    .where(and(eq(promptLabels.name, "tutor"), eq(promptLabels.label, "production")));
  return live?.version;
}

async function callsDuring(work: () => Promise<unknown>): Promise<number> {
  const before = world.llm.requests.length;
  await work();
  return world.llm.requests.length - before;
}

describe("the tree of shared answers", () => {
  it("greets the first learner through the LLM and the next from the tree, chunk for chunk", async () => {
    const { item } = await make.topic();
    world.llm.script({ chunks: ["Wel", "come", " to", " the topic. 🎓"] });
    const [first, second] = [await learner(item.id), await learner(item.id)];
    const live = await first.say("Start.");
    expect(live.status).toBe(200);
    expect(live.headers.get("content-type")).toMatch(/^text\/event-stream/);
    expect(chunksOf(live)).toEqual(["Wel", "come", " to", " the topic. 🎓"]);
    expect(eventsOf(live).at(-1)).toEqual({ content: "", done: true, message_id: expect.any(Number) });

    const calls = await callsDuring(async () => {
      const replayed = await second.say("  Start. ");
      expect(chunksOf(replayed)).toEqual(chunksOf(live));
    });
    expect(calls).toBe(0);
    const meta = {
      model: "model-of-the-tests",
      prompt_name: "tutor",
      prompt_version: await tutorVersion(),
      latency_ms: expect.any(Number),
    };
    expect(await first.lastMeta()).toEqual({
      ...meta,
      source: "llm",
      input_tokens: expect.any(Number),
      output_tokens: expect.any(Number),
    });
    const [node] = await nodesOf(item.id);
    expect(await second.lastMeta()).toEqual({ ...meta, source: "cache", cache_node_id: node?.id });
    expect(
      await world.deps.db
        .select()
        .from(cacheVisits)
        .where(and(eq(cacheVisits.node_id, node?.id ?? 0), eq(cacheVisits.hit, true))),
    ).toHaveLength(1);
  });

  it("moves the cursor along the path, on misses and on hits", async () => {
    const { item } = await make.topic();
    const [first, second] = [await learner(item.id), await learner(item.id)];
    expect((await first.read()).cache_node_id).toBeNull();
    for (const session of [first, second]) {
      await session.say("Start.");
      await session.say(answerTo("q1", "B"));
    }
    const nodes = await nodesOf(item.id);
    const root = nodes.find((node) => node.parent_id === null);
    const child = nodes.find((node) => node.parent_id === root?.id);
    expect(nodes).toHaveLength(2);
    for (const session of [first, second])
      expect(await session.read()).toMatchObject({ cache_node_id: child?.id, cache_state: "TRACKING" });
  });

  it("finds an answer in every spelling, and another answer elsewhere", async () => {
    const { item } = await make.topic();
    const [first, second, third] = [await learner(item.id), await learner(item.id), await learner(item.id)];
    for (const session of [first, second, third]) await session.say("Start.");
    await first.say(answerTo("q1", "B"));
    expect(await callsDuring(() => second.say(' {"answer": "B ", "note": "x", "questionId": " q1"}'))).toBe(
      0,
    );
    expect(await callsDuring(() => third.say(answerTo("q1", "C")))).toBe(1);
  });

  it("Start. leads to the root from every cursor", async () => {
    const { item } = await make.topic();
    const session = await learner(item.id);
    await session.say("Start.");
    await session.say(answerTo("q1", "B"));
    expect(await callsDuring(() => session.say("Start."))).toBe(0);
    const [root] = (await nodesOf(item.id)).filter((node) => node.parent_id === null);
    expect((await session.read()).cache_node_id).toBe(root?.id);
  });

  it("a free text diverges for ever: nothing after it is shared, Start. included", async () => {
    const { item } = await make.topic();
    const session = await learner(item.id);
    await session.say("Start.");
    await session.say("But why?");
    expect((await session.read()).cache_state).toBe("DIVERGED");
    for (const content of ["Start.", answerTo("q1", "B"), "And now?"])
      expect(await callsDuring(() => session.say(content)), content).toBe(1);
    expect(await session.lastMeta()).toMatchObject({ source: "llm" });
    expect((await session.read()).cache_state).toBe("DIVERGED");
    expect(await nodesOf(item.id)).toHaveLength(1);
  });

  it("a follow-up diverges as a free text does", async () => {
    const { item } = await make.topic();
    const session = await learner(item.id);
    await session.say("Start.");
    await session.say('{"type":"followup","questionId":"q1","answer":"B"}');
    expect((await session.read()).cache_state).toBe("DIVERGED");
  });

  it("an answer before any greeting has no path: it is answered, and diverges", async () => {
    const { item } = await make.topic();
    const session = await learner(item.id);
    await session.say(answerTo("q1", "B"));
    expect(await session.read()).toMatchObject({ cache_state: "DIVERGED", cache_node_id: null });
    expect(await nodesOf(item.id)).toHaveLength(0);
  });

  it("with caching off nothing is looked up or stored, and an answer leaves the state unchanged", async () => {
    const { item, course } = await make.topic();
    const first = await learner(item.id);
    await first.say("Start.");
    await world.deps.db.update(courses).set({ cache_enabled: false }).where(eq(courses.id, course.id));
    const second = await learner(item.id);
    expect(await callsDuring(() => second.say("Start."))).toBe(1);
    expect(await callsDuring(() => second.greet())).toBe(1);
    await second.say(answerTo("q1", "B"));
    expect(await second.read()).toMatchObject({ cache_state: "TRACKING", cache_node_id: null });
    expect(await nodesOf(item.id)).toHaveLength(1);
  });

  it("20 concurrent requests for one node leave one row and cost one LLM call", async () => {
    const { item } = await make.topic();
    const sessions = await Promise.all(Array.from({ length: 20 }, () => learner(item.id)));
    const before = world.llm.requests.length;
    const replies = await Promise.all(sessions.map((session) => session.say("Start.")));
    expect(world.llm.requests.length - before).toBe(1);
    for (const reply of replies) expect(chunksOf(reply)).toEqual(chunksOf(replies[0] as typeof reply));
    for (const reply of replies)
      expect(eventsOf(reply).at(-1)).toMatchObject({ done: true, message_id: expect.any(Number) });
    const nodes = await nodesOf(item.id);
    expect(nodes).toHaveLength(1);
    for (const session of sessions) expect((await session.read()).cache_node_id).toBe(nodes[0]?.id);
  });
});

describe("the tree misses", () => {
  it("for a course with a separate model, which the LLM request then names", async () => {
    const { item, course } = await make.topic();
    await (await learner(item.id)).say("Start.");
    await world.deps.db.update(courses).set({ llm_model: "course-model" }).where(eq(courses.id, course.id));
    const session = await learner(item.id);
    expect(await callsDuring(() => session.say("Start."))).toBe(1);
    expect(world.llm.requests.at(-1)?.model).toBe("course-model");
    expect(await session.lastMeta()).toMatchObject({ model: "course-model", source: "llm" });
  });

  it("after the item was edited", async () => {
    const { item } = await make.topic();
    await (await learner(item.id)).say("Start.");
    await world.deps.db.update(contentItems).set({ title: "Edited" }).where(eq(contentItems.id, item.id));
    const session = await learner(item.id);
    expect(await callsDuring(() => session.say("Start."))).toBe(1);
  });

  it("after a new version of the prompt, and after a label of a referenced prompt moved", async () => {
    const { db } = world.deps;
    const { item } = await make.topic();
    const name = "tutor-text";
    const inner = make.unique("tone");
    const version = async (of: string, number: number, prompt: string) => {
      await db.insert(promptNames).values({ name: of }).onConflictDoNothing();
      const [row] = await db.insert(prompts).values({ name: of, version: number, prompt }).returning();
      const prompt_id = row?.id ?? 0;
      await db
        .insert(promptLabels)
        .values({ name: of, label: "production", prompt_id })
        .onConflictDoUpdate({ target: [promptLabels.name, promptLabels.label], set: { prompt_id } });
      return prompt_id;
    };
    await version(inner, 1, "Be kind.");
    const root = await version(name, 1, `Teach {{title}}. @@@refPrompt:name=${inner}|label=production@@@`);
    await db
      .insert(promptDependencies)
      .values({ prompt_id: root, position: 0, child_name: inner, child_label: "production" });

    expect(await callsDuring(async () => (await learner(item.id)).say("Start."))).toBe(1);
    expect(world.llm.requests.at(-1)?.system).toBe(`Teach "${item.title}". Be kind.`);
    expect(await callsDuring(async () => (await learner(item.id)).say("Start."))).toBe(0);
    await version(inner, 2, "Be strict.");
    expect(await callsDuring(async () => (await learner(item.id)).say("Start."))).toBe(1);
    expect(world.llm.requests.at(-1)?.system).toBe(`Teach "${item.title}". Be strict.`);
    await version(name, 2, "Teach {{title}}.");
    expect(await callsDuring(async () => (await learner(item.id)).say("Start."))).toBe(1);
    await db.delete(promptNames).where(eq(promptNames.name, name));
  });
});
