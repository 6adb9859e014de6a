import { eq, sql } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { cacheNodes } from "../../../../schema/db/tutor/cache.ts";
import { makersOf } from "../../../support/makers.ts";
import { sampleOf } from "../../../support/samples.ts";
import { openWorld } from "../../../support/world.ts";
import { eventsOf, openSession, textOf } from "./support.ts";

const world = openWorld();
const make = makersOf(world);

afterEach(() => world.llm.reset());

async function learner() {
  const { item } = await make.topic();
  const session = await openSession(world.as(await make.person()), item.id);
  const nodes = () => world.deps.db.select().from(cacheNodes).where(eq(cacheNodes.content_item_id, item.id));
  return { session, nodes };
}

const unknownStops = async () =>
  sampleOf(
    await (await world.app.request("/metrics")).text(),
    'llm_unknown_stops_total{model="model-of-the-tests"}',
  );

const warnings = () => world.log.filter(({ message }) => String(message).includes("unknown stop reason"));

describe("an answer's stop reason", () => {
  it.each(["STOP", "eos", ""])("%j is a normal end, and the class shares the answer", async (stop_reason) => {
    const { session, nodes } = await learner();
    world.llm.script({ chunks: ["Hello."], stop_reason });
    expect(textOf(await session.say("Start."))).toBe("Hello.");
    expect(await session.lastMeta()).not.toHaveProperty("stop");
    expect(await nodes()).toHaveLength(1);
    expect(warnings()).toEqual([]);
  });

  it("that is unknown is a normal end too, is counted, and is logged once per model", async () => {
    const before = await unknownStops();
    for (const stop_reason of ["stopped_by_me", "text of the provider"]) {
      const { session, nodes } = await learner();
      world.llm.script({ chunks: ["Hello."], stop_reason });
      await session.say("Start.");
      expect(await nodes()).toHaveLength(1);
    }
    expect((await unknownStops()) - before).toBe(2);
    expect(warnings()).toMatchObject([{ model: "model-of-the-tests", stop_reason: "stopped_by_me" }]);
    expect(JSON.stringify(world.log)).not.toContain("text of the provider");
  });

  it("`error` behind text is a failure: the answer is asked for again, and nothing of it is stored", async () => {
    const { session, nodes } = await learner();
    world.llm.script({ chunks: ["Half"], stop_reason: "error" }, { chunks: ["Whole."] });
    expect(textOf(await session.say("Start."))).toBe("Whole.");
    expect(await nodes()).toHaveLength(1);
    world.llm.script({ chunks: ["Half"], stop_reason: "error", times: 2 });
    const other = await learner();
    expect(eventsOf(await other.session.say("Start.")).at(-1)).toMatchObject({ code: "broke_off" });
    expect(await other.nodes()).toEqual([]);
  });

  it("says nothing about an answer of invisible characters, which is empty", async () => {
    const { session, nodes } = await learner();
    world.llm.script({ chunks: ["\u200b \u2060", "\u00ad\u3164\u2800\ufe0f\u{e0020}"] });
    await session.say("Start.");
    expect(await session.lastMeta()).toMatchObject({ stop: "empty" });
    expect(await nodes()).toEqual([]);
  });

  it.each([
    ["two line breaks", { chunks: ["\n", "\n"] }, "empty"],
    ["a space, up to the limit", { chunks: ["  "], stop_reason: "max_tokens" }, "length"],
    ["an invisible character", { chunks: ["\u200b"] }, "empty"],
  ])(
    "without visible text (%s) is stored as the empty text, which later requests omit",
    async (_, blank, stop) => {
      const { session } = await learner();
      world.llm.script(blank);
      await session.say("Why?");
      expect((await session.read()).messages.at(-1)).toMatchObject({ content: "", meta: { stop } });
      await session.say("How?");
      expect(world.llm.requests.at(-1)?.messages).toEqual([{ role: "user", content: "How?" }]);
    },
  );

  it("omits a blank answer that an earlier release stored", async () => {
    const { session } = await learner();
    await session.say("Why?");
    await world.deps.db.execute(
      sql`update chat_messages set content = E'\n\n' where session_id = ${session.id} and role = 'assistant'`,
    );
    await session.say("How?");
    expect(world.llm.requests.at(-1)?.messages).toEqual([{ role: "user", content: "How?" }]);
  });
});
