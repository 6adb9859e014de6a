import { eq, sql } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { cacheNodes } from "../../../../schema/db/tutor/cache.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";
import { eventsOf, hold, keepLeases, openSession, textOf } from "./support.ts";

const world = openWorld();
const make = makersOf(world);
keepLeases(world);

afterEach(() => world.llm.reset());

const listening = async (itemId: number) =>
  (
    await world.deps.db.execute<{ count: number }>(sql`
      select count(*)::int as count from chat_sessions
      where content_item_id = ${itemId} and answering_generation_id is not null`)
  ).rows[0]?.count;

describe("an answer that ends before its end", () => {
  it.each([
    ["length", { chunks: ["As far ", "as this"], stop_reason: "max_tokens" }],
    ["refusal", { chunks: ["I will not."], stop_reason: "refusal" }],
    ["empty", { chunks: [] }],
  ])(
    "(%s) is sent to all subscribers, once, marked, and leaves no node",
    async (stop, { chunks, ...end }) => {
      const { item } = await make.topic();
      const learner = async () => openSession(world.as(await make.person()), item.id);
      const sessions = await Promise.all(Array.from({ length: 6 }, learner));
      const { held, release } = hold();
      world.llm.script({ chunks: [...chunks, held], ...end });
      const replies = sessions.map((session) => session.say("Start."));
      await expect.poll(() => listening(item.id)).toBe(6);
      release();
      for (const reply of await Promise.all(replies)) {
        expect(textOf(reply)).toBe(chunks.join(""));
        expect(eventsOf(reply).at(-1)).toHaveProperty("message_id");
      }
      expect(world.llm.requests).toHaveLength(1);
      for (const session of sessions) {
        expect(await session.lastMeta()).toMatchObject({ source: "llm", stop });
        expect(await session.read()).toMatchObject({ cache_node_id: null, cache_state: "TRACKING" });
      }
      expect(
        await world.deps.db.select().from(cacheNodes).where(eq(cacheNodes.content_item_id, item.id)),
      ).toEqual([]);

      expect(await (await learner()).say("Start.")).toMatchObject({ status: 200 });
      expect(world.llm.requests).toHaveLength(2);
    },
  );

  it("since it is longer than any answer may be leaves no node, and a conversation that can be read", async () => {
    const { item } = await make.topic();
    const session = await openSession(world.as(await make.person()), item.id);
    // An answer of control characters alone counts as empty.
    world.llm.script({ chunks: Array.from({ length: 60 }, () => `x${"\u0001".repeat(99_999)}`) });
    expect(textOf(await session.say("Start."))).toHaveLength(500_000);
    // Estimated from all that was received, also from the piece that was too much.
    expect(await session.lastMeta()).toMatchObject({ source: "llm", stop: "length", output_tokens: 150_000 });
    expect(await session.read()).toMatchObject({ cache_node_id: null, cache_state: "TRACKING" });
  });

  it("since it is too long ends before a character that it has no room for, and has none in halves", async () => {
    const { item } = await make.topic();
    const session = await openSession(world.as(await make.person()), item.id);
    world.llm.script({ chunks: ["x", ...Array.from({ length: 30 }, () => "😀".repeat(10_000))] });
    const said = textOf(await session.say("Start."));
    expect(said).toHaveLength(499_999);
    expect(said.replaceAll("😀", "")).toBe("x");
    expect(await session.lastMeta()).toMatchObject({ stop: "length" });
  });

  it("is omitted from the next request if refused, and included if cut off by its length", async () => {
    const { item } = await make.topic();
    const session = await openSession(world.as(await make.person()), item.id);
    world.llm.script(
      { chunks: ["I will not."], stop_reason: "refusal" },
      { chunks: ["As far as"], stop_reason: "max_tokens" },
    );
    for (const content of ["Bad?", "Long?", "Good?"]) await session.say(content);
    expect(world.llm.requests.at(-1)?.messages).toEqual([
      { role: "user", content: "Long?" },
      { role: "assistant", content: "As far as" },
      { role: "user", content: "Good?" },
    ]);
  });
});
