import { setImmediate } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openWorld } from "../../../support/world.ts";
import { hold, keepLeases, openConversation, openStream } from "./support.ts";

const world = openWorld();
keepLeases(world);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
});

afterEach(() => {
  vi.useRealTimers();
  world.llm.reset();
});

/** In small steps: sockets are not frozen and need turns to deliver. */
async function pass(seconds: number): Promise<void> {
  for (let step = 0; step < seconds * 2; step += 1) {
    await vi.advanceTimersByTimeAsync(500);
    await setImmediate();
  }
}

const asked = (count: number) => expect.poll(() => world.llm.requests.length).toBe(count);

const comment = ": the answer is still to come\n\n";

const outcomes = async () => {
  const { rows } = await world.deps.db.execute(sql`select outcome from llm_calls order by id desc limit 2`);
  return rows.map(({ outcome }) => outcome);
};

async function say(content = "Start.") {
  const { client, session } = await openConversation(world);
  const answered = openStream(world, client, "POST", `/chat/sessions/${session.id}/messages`, { content });
  return { client, session, answered };
}

describe("while the LLM is silent", () => {
  it("a waiting client gets a comment every ten seconds, before the first word and between two", async () => {
    const [first, second] = [hold(), hold()];
    world.llm.script({ chunks: [first.held, "One ", second.held, "two."] });
    const { answered } = await say();
    await asked(1);
    await pass(11);
    const stream = await answered;
    expect(await stream.until(comment)).toBe(comment);
    first.release();
    await stream.until("One ");
    await pass(11);
    expect(await stream.until(`${comment}`)).toContain(comment);
    second.release();
    const told = await stream.rest();
    expect(told.startsWith(`${comment}data: {"content":"One `)).toBe(true);
    expect(told).toContain(`"done":false}\n\n${comment}data: {"content":"two."`);
    expect(told).toMatch(/"done":true,"message_id":\d+}\n\n$/);
  });

  it("it is given up after twenty seconds, called once more, and the failure is the last event", async () => {
    world.llm.script({ failure: "silence", times: 2 });
    const { answered } = await say();
    await asked(1);
    await pass(21);
    await asked(2);
    await pass(21);
    const told = await (await answered).rest();
    expect(told.startsWith(comment.repeat(2))).toBe(true);
    expect(told.replaceAll(comment, "")).toBe(
      'data: {"content":"","done":true,"error":"The tutor cannot be reached at the moment","code":"tutor_unreachable","retry_after":5}\n\n',
    );
    expect(await outcomes()).toEqual(["timeout", "timeout"]);
  });

  it("a greeting as JSON waits without comments, and is a 503", async () => {
    world.llm.script({ failure: "headers alone", times: 2 });
    const { session } = await openConversation(world);
    const answered = session.greet();
    await asked(1);
    await pass(21);
    await asked(2);
    await pass(21);
    expect(await answered).toMatchObject({
      status: 503,
      body: { detail: "The tutor cannot be reached at the moment" },
    });
  });

  it("a failure before the first chunk is a 503", async () => {
    world.llm.script({ status: 400 });
    const { session } = await openConversation(world);
    const { status, headers } = await session.say("Start.");
    expect([status, headers.get("retry-after")]).toEqual([503, null]);
    expect((await outcomes())[0]).toBe("failed");
  });
});
