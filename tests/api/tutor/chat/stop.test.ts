import { afterEach, describe, expect, it } from "vitest";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";
import { hold, keepLeases, openConversation, openStream, textOf } from "./support.ts";

const world = openWorld();
const make = makersOf(world);
keepLeases(world);

afterEach(() => world.llm.reset());

const conversation = () => openConversation(world);

describe("stopping the answer in progress", () => {
  it("keeps the text so far of a private answer, marked as stopped, for all subscribers", async () => {
    const { client, session } = await conversation();
    const { held, release } = hold();
    world.llm.script({ chunks: ["As far ", "as this", held, " and no further"] });
    const asked = await openStream(world, client, "POST", `/chat/sessions/${session.id}/messages`, {
      content: "Why?",
    });
    await asked.until("as this");
    const stopped = await session.stop();
    release();
    expect(stopped).toMatchObject({
      status: 200,
      body: { role: "assistant", content: "As far as this", meta: { source: "llm", stop: "stopped" } },
    });
    expect(await asked.rest()).toContain(`"done":true,"message_id":${stopped.body.id}`);
    expect((await session.read()).messages.at(-1)).toEqual(stopped.body);
    expect((await session.say("And now?")).status).toBe(200);
  });

  it("before the first word keeps an empty answer, which later requests omit", async () => {
    const { session } = await conversation();
    const { held, release } = hold();
    world.llm.script({ chunks: [held, "Too late."] });
    const first = session.say("Why?");
    await expect.poll(() => world.llm.requests.length).toBe(1);
    const stopped = await session.stop();
    release();
    expect(stopped.body).toMatchObject({ content: "", meta: { stop: "stopped" } });
    expect(textOf(await first)).toBe("");
    await session.say("How?");
    expect(world.llm.requests.at(-1)?.messages).toEqual([{ role: "user", content: "How?" }]);
  });

  it("is a 400 for an answer that a class waits for, which continues", async () => {
    const { session } = await conversation();
    const { held, release } = hold();
    world.llm.script({ chunks: ["One ", held, "two."] });
    const first = session.say("Start.");
    await expect.poll(() => world.llm.requests.length).toBe(1);
    const refused = await session.stop();
    release();
    expect(refused).toMatchObject({
      status: 400,
      body: { detail: "Other learners are receiving this answer, so you cannot stop it" },
    });
    expect(textOf(await first)).toBe("One two.");
  });

  it("is a 400 when nothing is being written, 403 for another's session, 404 for none", async () => {
    const { session } = await conversation();
    expect(await session.stop()).toMatchObject({
      status: 400,
      body: { detail: "No answer is being written" },
    });
    const other = world.as(await make.person());
    expect((await other.post(`/chat/sessions/${session.id}/stop`)).status).toBe(403);
    expect((await other.post("/chat/sessions/2000000000/stop")).status).toBe(404);
  });
});
