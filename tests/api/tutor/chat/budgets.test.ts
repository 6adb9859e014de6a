import { sql } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { rowsOf } from "../../../../lib/platform/db/query/rows.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";
import { chunksOf, eventsOf, hold, keepLeases, openSession, openStream } from "./support.ts";

const world = openWorld({
  TUTOR_TURNS_AT_ONCE: "100",
  TUTOR_TURNS_PER_DAY: "5",
  LLM_PRICES: JSON.stringify({ "model-of-the-tests": { input: 3, output: 15 } }),
});
const make = makersOf(world);
keepLeases(world);

afterEach(() => world.llm.reset());

const Call = z.object({
  user_id: z.int().nullable(),
  outcome: z.string(),
  input_tokens: z.int(),
  output_tokens: z.int(),
  cost_micros: z.number().nullable(),
});

const callsFor = (itemId: number) =>
  rowsOf(
    world.deps.db,
    Call,
    sql`select user_id, outcome, input_tokens, output_tokens, cost_micros::float8 from llm_calls
        where content_item_id = ${itemId} order by id`,
  );

async function prepareUniversity() {
  const topic = await make.topic();
  const university = topic.course.university_id;
  const [ofUniversity, ofPlatform] = await Promise.all([
    make.holder("university_admin", university),
    make.holder("platform_admin", university),
  ]);
  const path = `/universities/${university}/tutor-budget`;
  return { ...topic, path, admin: world.as(ofUniversity), platform: world.as(ofPlatform) };
}

const none = { turns_per_day: null, turns_at_once: null, tokens_per_month: null };

describe("a day's turns of one person", () => {
  it("60 concurrent sessions make no more calls than the budget, and stored answers are unlimited", async () => {
    const { item } = await make.topic();
    const client = world.as(await make.person());
    const sessions = await Promise.all(Array.from({ length: 60 }, () => openSession(client, item.id)));
    const replies = await Promise.all(sessions.map((one, index) => one.say(`What is number ${index}?`)));
    expect(world.llm.requests).toHaveLength(5);
    expect(await callsFor(item.id)).toHaveLength(5);
    const refused = replies.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(55);
    expect(refused[0]?.body.detail).toContain("daily limit");
    expect(Number(refused[0]?.headers.get("retry-after"))).toBeGreaterThan(0);

    const { item: other } = await make.topic();
    await (await openSession(world.as(await make.person()), other.id)).say("Start.");
    for (let visit = 0; visit < 10; visit += 1) {
      const again = await openSession(client, other.id);
      expect((await again.say("Start.")).status).toBe(200);
    }
  });

  it("are free for a subscriber of another learner's generation", async () => {
    const { item } = await make.topic();
    const [first, second] = [await make.person(), await make.person()];
    const { held, release } = hold();
    world.llm.script({ chunks: ["Hello, ", held, "all."] });
    const making = (await openSession(world.as(first), item.id)).say("Start.");
    await expect.poll(() => world.llm.requests.length).toBe(1);
    const client = world.as(second);
    const listener = await openSession(client, item.id);
    const path = `/chat/sessions/${listener.id}/messages`;
    const heard = await openStream(world, client, "POST", path, { content: "Start." });
    expect(await heard.until("Hello, ")).not.toContain("all.");
    release();
    expect(await heard.rest()).toContain("all.");
    await making;
    expect(await callsFor(item.id)).toMatchObject([{ user_id: first.id }]);
    expect(await listener.lastMeta()).toMatchObject({ source: "llm", joined: true });
  });

  it("start again the next day; a rejected message can be sent again", async () => {
    const { item } = await make.topic();
    const person = await make.person();
    const session = await openSession(world.as(person), item.id);
    for (let turn = 0; turn < 5; turn += 1) expect((await session.say(`Why ${turn}?`)).status).toBe(200);
    expect((await session.say("Why, then?")).status).toBe(429);
    expect((await session.read()).answering).toBeNull();
    await world.deps.db.execute(
      sql`update llm_calls set started_at = started_at - interval '1 day' where user_id = ${person.id}`,
    );
    expect(chunksOf(await session.say("Why, then?"))).not.toEqual([]);
  });
});

describe("a call", () => {
  it("is written down with its tokens and its cost", async () => {
    const { item } = await make.topic();
    const person = await make.person();
    world.llm.script({ chunks: ["Yes."], input_tokens: 100, output_tokens: 20 });
    await (await openSession(world.as(person), item.id)).say("Start.");
    expect(await callsFor(item.id)).toEqual([
      { user_id: person.id, outcome: "complete", input_tokens: 100, output_tokens: 20, cost_micros: 600 },
    ]);
  });

  it.each([1201.4, 3e10, -5, "12"] as number[])(
    "with %j tokens of usage is made once, and its answer is stored",
    async (count) => {
      const { item } = await make.topic();
      const before = world.llm.calls();
      world.llm.script({
        chunks: ["Yes."],
        ...{ input_tokens: count, output_tokens: count, cache_read_tokens: count, cache_write_tokens: count },
      });
      const session = await openSession(world.as(await make.person()), item.id);
      expect(eventsOf(await session.say("Start.")).at(-1)).toHaveProperty("message_id");
      expect(world.llm.calls() - before).toBe(1);
      const [call] = await callsFor(item.id);
      const sent = world.llm.requests.at(-1);
      const characters = `${sent?.system}${sent?.messages.map(({ content }) => content).join("")}`.length;
      expect(call).toMatchObject({ outcome: "complete", input_tokens: Math.ceil(characters / 4) });
    },
  );

  it("of the largest counts is stored with them", async () => {
    const { item } = await make.topic();
    const most = 2 ** 31 - 1;
    const usage = {
      input_tokens: most,
      output_tokens: most,
      cache_read_tokens: most,
      cache_write_tokens: most,
    };
    world.llm.script({ chunks: ["Yes."], ...usage });
    const session = await openSession(world.as(await make.person()), item.id);
    expect(eventsOf(await session.say("Start.")).at(-1)).toHaveProperty("message_id");
    expect(await callsFor(item.id)).toMatchObject([{ input_tokens: most, output_tokens: most }]);
  });

  it.each([
    ["a row", "23514", "insert into refused values (0)"],
    ["a value", "22003", "perform 2147483647 + 1"],
  ])(
    "whose answer the database refuses for %s (%s) is made once, fails and is billed",
    async (_what, _state, how) => {
      const { db } = world.deps;
      const { item } = await make.topic();
      await db.execute(sql.raw(`create table if not exists refused (id integer check (id > 0))`));
      await db.execute(
        sql.raw(`create or replace function refuse_answers() returns trigger language plpgsql as $$
        begin ${how}; return new; end $$`),
      );
      await db.execute(
        sql.raw(`create trigger refuse_answers before insert on cache_nodes for each row
        when (new.content_item_id = ${item.id}) execute function refuse_answers()`),
      );
      const before = world.llm.calls();
      world.llm.script({ chunks: ["Yes."], input_tokens: 100, output_tokens: 20 });
      const session = await openSession(world.as(await make.person()), item.id);
      expect(eventsOf(await session.say("Start.")).at(-1)).toMatchObject({ done: true, code: "broke_off" });
      expect(world.llm.calls() - before).toBe(1);
      expect(await callsFor(item.id)).toMatchObject([
        { outcome: "failed", input_tokens: 100, output_tokens: 20 },
      ]);
      await db.execute(sql`drop trigger refuse_answers on cache_nodes`);
      expect(eventsOf(await session.say("Start.")).at(-1)).toHaveProperty("message_id");
    },
  );

  it("that fails and its retry are two calls, counted with the provider's usage", async () => {
    const { item } = await make.topic();
    const session = await openSession(world.as(await make.person()), item.id);
    world.llm.script({ chunks: ["Half an answer, "], failure: "error event", input_tokens: 50, times: 1 });
    await session.say("Start.");
    expect(await callsFor(item.id)).toMatchObject([
      { outcome: "failed", input_tokens: 50, output_tokens: 4 },
      { outcome: "complete" },
    ]);
  });

  it("that breaks off within its thoughts costs its prompt and them, and is a turn", async () => {
    const { item } = await make.topic();
    const session = await openSession(world.as(await make.person()), item.id);
    const chunks = ["<think>", "x".repeat(4000)];
    world.llm.script({ chunks, failure: "socket destroyed", usageLast: true, times: 100 });
    const statuses: number[] = [];
    for (let message = 0; message < 6; message += 1)
      statuses.push((await session.say(`Why ${message}?`)).status);
    expect(statuses).toEqual([503, 503, 503, 429, 429, 429]);
    const calls = await callsFor(item.id);
    expect(calls[0]).toMatchObject({ outcome: "failed", output_tokens: 1002 });
    expect(calls[0]?.input_tokens).toBeGreaterThan(10);
    expect(calls[0]?.cost_micros).toBeGreaterThan(1002 * 15);
  });

  it("that a filter breaks off keeps its reported prompt, and its text is estimated", async () => {
    const { item } = await make.topic();
    const session = await openSession(world.as(await make.person()), item.id);
    const error = { type: "invalid_request_error", message: "Output blocked by content filtering policy" };
    const script = { failure: "error event" as const, error, input_tokens: 9000, output_tokens: 1 };
    world.llm.script({ chunks: ["x".repeat(400)], ...script });
    await session.say("Start.");
    expect(await callsFor(item.id)).toMatchObject([{ input_tokens: 9000, output_tokens: 100 }]);
  });

  it("that a filter rejects costs nothing", async () => {
    const { item } = await make.topic();
    const session = await openSession(world.as(await make.person()), item.id);
    world.llm.script({ status: 400, error: { type: "content_filter" } });
    await session.say("Start.");
    expect(await callsFor(item.id)).toMatchObject([{ input_tokens: 0, output_tokens: 0 }]);
  });

  it("that the learner stops is cut off, and costs the tokens until then", async () => {
    const { item } = await make.topic();
    const session = await openSession(world.as(await make.person()), item.id);
    world.llm.script({ chunks: ["x".repeat(400)], failure: "hang", input_tokens: 50 });
    const asking = session.say("Why?");
    await expect.poll(async () => (await session.read()).answering).not.toBeNull();
    await expect.poll(() => world.llm.requests.length).toBe(1);
    await session.stop();
    await asking;
    const [call] = await callsFor(item.id);
    expect(call?.outcome).toBe("stopped");
  });

  it("of a model without prices has no cost", async () => {
    const { item, course } = await make.topic();
    await world.deps.db.execute(sql`update courses set llm_model = 'unpriced' where id = ${course.id}`);
    await (await openSession(world.as(await make.person()), item.id)).say("Start.");
    expect(await callsFor(item.id)).toMatchObject([{ outcome: "complete", cost_micros: null }]);
  });
});

describe("a university's budget", () => {
  it("is the settings', until the platform grants another and the university sets a lower one", async () => {
    const { path, admin, platform } = await prepareUniversity();
    expect((await admin.get(path)).body).toEqual({
      granted: none,
      own: none,
      in_force: { turns_per_day: 5, turns_at_once: 100, tokens_per_month: null },
      tokens_this_month: 0,
    });
    await platform.put(`${path}/granted`, { ...none, turns_per_day: 50 });
    const changed = await admin.put(path, { ...none, turns_per_day: 80, tokens_per_month: 1000 });
    expect(changed).toMatchObject({
      status: 200,
      body: { in_force: { turns_per_day: 50, turns_at_once: 100, tokens_per_month: 1000 } },
    });
  });

  it("is granted by the platform alone, and of no concern to others", async () => {
    const { path, admin, course } = await prepareUniversity();
    const instructor = world.as(await make.holder("instructor", course.university_id));
    const elsewhere = world.as(
      await make.holder("university_admin", (await make.topic()).course.university_id),
    );
    expect((await admin.put(`${path}/granted`, none)).status).toBe(403);
    for (const other of [instructor, elsewhere]) {
      expect((await other.get(path)).status).toBe(403);
      expect((await other.put(path, none)).status).toBe(403);
    }
  });

  it("limits its people together, and their tokens of a month", async () => {
    const { path, admin, item } = await prepareUniversity();
    await admin.put(path, { ...none, turns_at_once: 1 });
    const client = world.as(await make.person());
    const { held, release } = hold();
    world.llm.script({ chunks: ["One ", held, "two."] });
    const first = (await openSession(client, item.id)).say("Why?");
    await expect.poll(() => world.llm.requests.length).toBe(1);
    expect((await (await openSession(client, item.id)).say("How?")).status).toBe(429);
    release();
    await first;
    const { tokens_this_month } = (await admin.get(path)).body;
    expect(tokens_this_month).toBe(
      (await callsFor(item.id)).reduce((sum, call) => sum + call.input_tokens + call.output_tokens, 0),
    );
    await admin.put(path, { ...none, tokens_per_month: tokens_this_month + 10 });
    const refused = await (await openSession(client, item.id)).say("How?");
    expect(refused).toMatchObject({ status: 429, body: { detail: expect.stringContaining("budget") } });
  });

  it("of a missing university is a 404, and a negative limit a 422", async () => {
    const { path, platform } = await prepareUniversity();
    expect((await platform.put("/universities/2000000000/tutor-budget/granted", none)).status).toBe(404);
    expect((await platform.get("/universities/2000000000/tutor-budget")).status).toBe(404);
    expect((await platform.put(path, { ...none, turns_per_day: -1 })).status).toBe(422);
  });
});
