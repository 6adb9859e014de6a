import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { embedPassages } from "../../../../lib/tutor/passages/embed.ts";
import { measureLexicalRetrieval } from "../../../../lib/tutor/passages/measure-retrieval.ts";
import { embedAndMeasurePassages } from "../../../../lib/tutor/passages/work.ts";
import { startEmbeddingsStandIn, unreadable, vectorStandIn } from "../../../support/embeddings-stand-in.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld, type World } from "../../../support/world.ts";
import { openSession } from "./support.ts";

const model = await startEmbeddingsStandIn();
afterAll(() => model.close());
afterEach(() => {
  model.fails = undefined;
  model.requests.length = 0;
});

const settings = {
  LLM_PRICES: '{"amazon.titan-embed-text-v2:0": {"input": 2, "output": 0}}',
  EMBEDDINGS_MODEL: "amazon.titan-embed-text-v2:0",
  // Generous, for busy machines.
  EMBEDDINGS_TIMEOUT_MS: "60000",
  CLOUD_ENDPOINT_URL: model.url,
  CLOUD_ACCESS_KEY_ID: "AKIDEXAMPLE",
  CLOUD_SECRET_ACCESS_KEY: "secret",
};

const long = (words: string) => `${words} `.repeat(Math.ceil(90 / (words.length + 1))).trim();

/** A course of two pages, and a learner in a conversation about the first. */
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

describe("a database without pgvector", () => {
  const world = openWorld(settings);

  it("the model is not called, and passages are found by words", async () => {
    const { session } = await inCourse(world);
    expect(await embed(world)).toEqual({ embedded: 0 });
    await session.say("Does it swing?");
    expect(lastAsked(world)).toBe("Does it swing?");
    await session.say("A pendulum?");
    expect(lastAsked(world)).toContain("[§1] Resonance, block 1");
    expect(model.requests).toEqual([]);
  });
});

describe("a database with pgvector", () => {
  const world = openWorld(settings);
  beforeAll(() => world.deps.db.execute(sql.raw(vectorStandIn)));

  it("passages are found by the embedding of a free text, with one call a turn, and none on a shared path", async () => {
    const { session } = await inCourse(world);
    await embed(world);
    model.requests.length = 0;
    await session.greet();
    expect(model.requests).toEqual([]);
    await session.say("Does it swing?");
    expect(lastAsked(world)).toContain("[§1] Resonance, block 1\nA pendulum goes far.");
    expect(model.texts()).toEqual(["Does it swing?"]);
  });

  it("embedding calls are recorded without a person, with their cost, and are no answers of the tutor", async () => {
    const { make, session, university, course, item } = await inCourse(world);
    await embed(world);
    const callsOf = async () =>
      (
        await world.deps.db.execute(sql`
          select purpose, user_id, message_id, course_id, content_item_id, input_tokens, cost_micros::int from llm_calls
          where university_id = ${university.id} order by id`)
      ).rows;
    const call = { purpose: "embedding", user_id: null, message_id: null };
    const ofPassages = { ...call, course_id: null, content_item_id: null, input_tokens: 5, cost_micros: 10 };
    expect(await callsOf()).toEqual([ofPassages]);
    await session.say("Does it swing?");
    const about = { course_id: course.id, content_item_id: item.id };
    expect((await callsOf()).slice(1)).toMatchObject([
      { purpose: "turn" },
      { ...call, ...about, input_tokens: 5, cost_micros: 10 },
    ]);
    const staff = world.as(await make.holder("university_admin", university.id));
    // The database's clock dates calls.
    const dayIn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
    const { body } = await staff.get(`/admin/analytics/tutor?date_from=${dayIn(-1)}&date_to=${dayIn(1)}`);
    expect(body).toMatchObject({ calls: 1, calls_without_price: 1, cost_micros: 20 });
  });

  it("courses are measured by their questions' embeddings, after their passages", async () => {
    const { make, course, module, university } = await inCourse(world);
    const asked = Array.from({ length: 25 }, (_, at) => ({
      ...{ kind: "SHORT_ANSWER" as const, answer_json: { texts: ["x"] } },
      question_text: `Does it swing, ${at}?`,
    }));
    const { pool } = await make.questionPool(course, asked);
    await make.contentItem(module, university.id, { type: "quiz", data_json: { question_pool_id: pool.id } });
    expect(await measureLexicalRetrieval(world.deps, new AbortController().signal)).toBe(0);
    expect(
      (await embedAndMeasurePassages(world.deps, new AbortController().signal)).embedded,
    ).toBeGreaterThan(0);
    const { rows } = await world.deps.db.execute(
      sql`select asked, found from passage_measures where course_id = ${course.id}`,
    );
    expect(rows).toEqual([{ asked: 25, found: 25 }]);
  });

  it("passages are embedded once, with their title, and again after a change", async () => {
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

  it("a passage that the model rejects does not stop others, and is not sent again", async () => {
    const { make, module, university, page } = await inCourse(world);
    await make.contentItem(module, university.id, page(`An ${unreadable} one`));
    await make.contentItem(module, university.id, page("Electricity"));
    expect((await embed(world)).embedded).toBeGreaterThanOrEqual(3);
    model.requests.length = 0;
    expect(await embed(world)).toEqual({ embedded: 0 });
    expect(model.requests).toEqual([]);
  });

  it("a model timeout fails the job, which continues there the next time", async () => {
    await inCourse(world);
    model.fails = { status: 429, type: "ThrottlingException" };
    await expect(embed(world)).rejects.toThrow("ThrottlingException");
    model.fails = undefined;
    expect((await embed(world)).embedded).toBeGreaterThan(0);
  });

  it("passages under rejected keys are skipped until the next day, and the others continue", async () => {
    await inCourse(world);
    model.fails = { status: 403, type: "AccessDeniedException" };
    await expect(embed(world)).rejects.toThrow("AccessDeniedException");
    model.fails = undefined;
    expect(await embed(world)).toEqual({ embedded: 0 });
    world.setNow("2026-03-11T12:00:01Z");
    expect((await embed(world)).embedded).toBeGreaterThan(0);
  });

  it("a stopped job leaves nothing half-done", async () => {
    await inCourse(world);
    expect(await embed(world, AbortSignal.abort())).toEqual({ embedded: 0 });
    expect((await embed(world)).embedded).toBeGreaterThan(0);
  });
});

describe("a database with pgvector, and a limit of 100 ms", () => {
  const world = openWorld({ ...settings, EMBEDDINGS_TIMEOUT_MS: "100" });
  beforeAll(() => world.deps.db.execute(sql.raw(vectorStandIn)));

  it.each([
    ["does not answer", "silence"],
    ["has no time", { status: 429, type: "ThrottlingException" }],
    ["takes no key", { status: 403, type: "AccessDeniedException" }],
    ["cannot be called so", { status: 400, type: "ValidationException" }],
  ] as const)(
    "the answer does not wait for a model that %s: words alone are looked for",
    async (_, fails) => {
      const { session } = await inCourse(world);
      await embed(world);
      model.fails = fails;
      await session.say("A pendulum that swings?");
      expect(lastAsked(world)).toContain("[§1] Resonance, block 1");
      await session.say("Does it swing?");
      expect(lastAsked(world)).toBe("Does it swing?");
      expect(
        world.log.filter(({ message }) => message === "passages are searched by words only").length,
      ).toBeGreaterThan(1);
    },
  );
});
