import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { embedPassages } from "../../../lib/passages/embed.ts";
import { startEmbeddingsStandIn, unreadable, vectorStandIn } from "../../support/embeddings-stand-in.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld, type World } from "../../support/world.ts";
import { openSession } from "./support.ts";

const model = await startEmbeddingsStandIn();
afterAll(() => model.close());
afterEach(() => {
  model.fails = undefined;
  model.requests.length = 0;
});

const settings = {
  EMBEDDINGS_MODEL: "amazon.titan-embed-text-v2:0",
  CLOUD_ENDPOINT_URL: model.url,
  CLOUD_ACCESS_KEY_ID: "AKIDEXAMPLE",
  CLOUD_SECRET_ACCESS_KEY: "secret",
};

const long = (words: string) => `${words} `.repeat(Math.ceil(90 / (words.length + 1))).trim();

/** A course of two pages, and a learner of it in a conversation about the first. */
async function inCourse(world: World) {
  const make = makersOf(world);
  const topic = await make.topic();
  const page = (words: string) => ({ data_json: { blocks: [{ type: "paragraph", text: long(words) }] } });
  const other = await make.contentItem(topic.module, topic.university.id, {
    title: "Resonance",
    ...page("A pendulum goes far."),
  });
  const person = await make.person();
  await make.enrollment(person.id, topic.offering.id);
  return { ...topic, make, page, other, session: await openSession(world.as(person), topic.item.id) };
}

const embed = (world: World, signal = new AbortController().signal) => embedPassages(world.deps, signal);

const lastAsked = (world: World) => String(world.llm.requests.at(-1)?.messages.at(-1)?.content);

describe("where the database has no pgvector", () => {
  const world = openWorld(settings);

  it("the model is asked for nothing, and passages are found by words", async () => {
    const { session } = await inCourse(world);
    expect(await embed(world)).toEqual({ embedded: 0 });
    await session.say("Does it swing?");
    expect(lastAsked(world)).toBe("Does it swing?");
    await session.say("A pendulum?");
    expect(lastAsked(world)).toContain("[§1] Resonance, block 1");
    expect(model.requests).toEqual([]);
  });
});

describe("where the database has pgvector", () => {
  const world = openWorld(settings);
  beforeAll(() => world.deps.db.execute(sql.raw(vectorStandIn)));

  it("passages are found by what own words mean, which the model is asked once a turn, and on no shared path", async () => {
    const { session } = await inCourse(world);
    await embed(world);
    model.requests.length = 0;
    await session.greet();
    expect(model.requests).toEqual([]);
    await session.say("Does it swing?");
    expect(lastAsked(world)).toContain("[§1] Resonance, block 1\nA pendulum goes far.");
    expect(model.texts()).toEqual(["Does it swing?"]);
  });

  it.each([
    ["does not answer", "silence"],
    ["has no time", { status: 429, type: "ThrottlingException" }],
    ["takes no key", { status: 403, type: "AccessDeniedException" }],
  ] as const)(
    "the answer does not wait for a model that %s: words alone are looked for",
    async (_, fails) => {
      const { session } = await inCourse(world);
      await embed(world);
      model.fails = fails;
      const begun = performance.now();
      await session.say("A pendulum that swings?");
      expect(lastAsked(world)).toContain("[§1] Resonance, block 1");
      await session.say("Does it swing?");
      expect(lastAsked(world)).toBe("Does it swing?");
      // The stand-in would break off after two seconds each.
      expect(performance.now() - begun).toBeLessThan(4000);
      expect(
        world.log.filter(({ message }) => message === "passages are looked for by words alone").length,
      ).toBeGreaterThan(1);
    },
  );

  it("passages are asked for once, with their title, and again when they were written anew", async () => {
    const { make, module, university, page } = await inCourse(world);
    await embed(world);
    model.requests.length = 0;
    const item = await make.contentItem(module, university.id, { title: "Warmth", ...page("Heat flows.") });
    expect(await embed(world)).toEqual({ embedded: 1 });
    expect(model.texts()).toEqual([`Warmth\n${long("Heat flows.")}`]);
    expect(await embed(world)).toEqual({ embedded: 0 });
    await world.deps.db.execute(sql`update content_items set title = 'Heat' where id = ${item.id}`);
    expect(await embed(world)).toEqual({ embedded: 1 });
    expect(model.texts()).toHaveLength(2);
  });

  it("a passage that the model refuses keeps no other from its vector, and is not asked for again", async () => {
    const { make, module, university, page } = await inCourse(world);
    await make.contentItem(module, university.id, page(`An ${unreadable} one`));
    await make.contentItem(module, university.id, page("Electricity"));
    expect((await embed(world)).embedded).toBeGreaterThanOrEqual(3);
    model.requests.length = 0;
    expect(await embed(world)).toEqual({ embedded: 0 });
    expect(model.requests).toEqual([]);
  });

  it("a model that has no time fails the job, which goes on from there the next time", async () => {
    await inCourse(world);
    model.fails = { status: 429, type: "ThrottlingException" };
    await expect(embed(world)).rejects.toThrow("ThrottlingException");
    model.fails = undefined;
    expect((await embed(world)).embedded).toBeGreaterThan(0);
  });

  it("passages of whoever's keys are refused are passed over, so that others go on, until the next day", async () => {
    await inCourse(world);
    model.fails = { status: 403, type: "AccessDeniedException" };
    await expect(embed(world)).rejects.toThrow("AccessDeniedException");
    model.fails = undefined;
    expect(await embed(world)).toEqual({ embedded: 0 });
    world.setNow("2026-03-11T12:00:01Z");
    expect((await embed(world)).embedded).toBeGreaterThan(0);
  });

  it("a job that is stopped keeps nothing half", async () => {
    await inCourse(world);
    expect(await embed(world, AbortSignal.abort())).toEqual({ embedded: 0 });
    expect((await embed(world)).embedded).toBeGreaterThan(0);
  });
});
