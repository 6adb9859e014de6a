import { sql } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";
import { hold, keepLeases, openSession, openStream, textOf } from "../chat/support.ts";
import { answerWithKey, anyCanary, canariesIn } from "./canaries.ts";

const world = openWorld();
const make = makersOf(world);
keepLeases(world);

afterEach(() => world.llm.reset());

const answer = answerWithKey("misconception", "skill");
const shown = answer.replace(/```key[\s\S]*```/, "");
/** Cuts inside the first and last canary: within the fence, in the JSON, and in its last word. */
const cuts = [answer.indexOf("```key") + 4, answer.indexOf("canary") + 3, answer.lastIndexOf("canary") + 3];

async function talk(content: "Start." | "Why?") {
  const { item, university } = await make.topic();
  const person = await make.person();
  const client = world.as(person);
  const session = await openSession(client, item.id);
  const path = `/chat/sessions/${session.id}`;
  const say = () => openStream(world, client, "POST", `${path}/messages`, { content });
  const elsewhere = () => openStream(world, world.as(person), "GET", `${path}/stream`);
  return { item, university, client, session, say, elsewhere };
}

/** All stored chunks of generations, as subscribers elsewhere receive them. */
const pieces = async () =>
  JSON.stringify((await world.deps.db.execute(sql`select chunks from generation_pieces`)).rows);

describe.each(["Start.", "Why?"] as const)("an answer to %j that is cut off within its key", (content) => {
  it.each(cuts)("(at %i) is taken up on another device without a byte of it", async (at) => {
    const { say, elsewhere, session } = await talk(content);
    const { held, release } = hold();
    world.llm.script({ chunks: [answer.slice(0, at), held, ...answer.slice(at).split("")] });
    const first = await say();
    await first.until("Option B");
    const second = await elsewhere();
    const sent = [await first.until("Option B"), await second.until("Option B")];
    // A private answer is written for subscribers a second later.
    await expect.poll(pieces).toContain("Option B");
    for (const text of [...sent, await pieces()]) {
      expect(text).not.toMatch(anyCanary);
      expect(text).not.toMatch(/```k/);
    }
    release();
    for (const stream of [first, second]) {
      const whole = await stream.rest();
      expect(canariesIn(whole)).toEqual([]);
      expect(whole).toContain('"done":true,"message_id"');
    }
    const { messages } = await session.read();
    expect(messages.at(-1).content).toBe(shown);
    expect(await pieces()).not.toMatch(anyCanary);
  });

  it("is stored without it if the model fails or stops", async () => {
    for (const failure of ["error event", "socket destroyed"] as const) {
      const { session } = await talk(content);
      world.llm.script(
        { chunks: [answer.slice(0, answer.lastIndexOf("canary") + 20)], failure },
        { chunks: [answer.slice(0, answer.lastIndexOf("canary") + 20)], stop_reason: "max_tokens" },
      );
      const reply = await session.say(content);
      expect(canariesIn(reply.text)).toEqual([]);
      expect(textOf(reply)).toContain("Think.");
      expect(canariesIn(JSON.stringify(await session.read()))).toEqual([]);
    }
  });
});

describe("an answer with an unreadable question", () => {
  it.each([
    answer.replace('"options":[', '"options":'),
    answer.replace('"questionId":"q1",', '"key":{"answer":"A","skill":"canary-of-own-skill"},"questionId":'),
    answer.replace("```mcq\n{", "```mcq\n{{,").replace("\n```\n```key", "\n```key"),
  ])("tells none of its key, also where it stays unreadable", async (broken) => {
    const { session, client } = await talk("Start.");
    world.llm.script({ chunks: broken.match(/[\s\S]{1,5}/g) ?? [] }, { chunks: [broken], times: 2 });
    const reply = await session.say("Start.");
    const { share_token } = (await client.post(`/chat/sessions/${session.id}/share`)).body;
    for (const text of [
      reply.text,
      JSON.stringify(await session.read()),
      (await client.get(`/chat/share/${share_token}`)).text,
      JSON.stringify(world.log),
    ])
      expect(canariesIn(text)).toEqual([]);
  });
});

describe("a classmate's request", () => {
  it("is the same byte for byte, for every learner", async () => {
    const { item, university } = await talk("Start.");
    const bodies: string[] = [];
    for (const [locale, own] of [
      ["en", "In my own words"],
      ["de", "Mit meinen Worten"],
    ] as const) {
      const person = await make.person({ full_name: `Person ${locale}`, time_zone: "Europe/Berlin" });
      const client = world.as(person);
      const earlier = await openSession(client, item.id);
      world.llm.script({ chunks: [answer] });
      await earlier.say(own);
      const session = await openSession(client, item.id);
      world.llm.script({ chunks: [answer] }, { chunks: ["Right."] });
      await world.deps.db.execute(sql`
        delete from cache_nodes where content_item_id in (select id from content_items where university_id = ${university.id})`);
      await session.say("Start.");
      await session.say(JSON.stringify({ questionId: "q1", answer: own.length > 15 ? "A" : "Option A" }));
      bodies.push(JSON.stringify(world.llm.bodies.slice(-2)));
      await client.post(`/study/notes`, { content_item_id: item.id, body: own });
    }
    expect(bodies[1]).toBe(bodies[0]);
    expect(bodies[0]).toContain("canary-of-misconception");
  });
});
