import { afterEach, describe, expect, it } from "vitest";
import { followOrProduceAnswer } from "../../../../lib/tutor/chat/follow-answer.ts";
import { openTurn } from "../../../../lib/tutor/chat/open-turn.ts";
import { noDeadline } from "../../../support/no-deadline.ts";
import { openWorld } from "../../../support/world.ts";
import { hold, keepLeases, messageIdOf, openConversation, openStream, textOf } from "./support.ts";

const world = openWorld();
keepLeases(world);

afterEach(() => world.llm.reset());

const conversation = () => openConversation(world);

describe("a message with a client's id", () => {
  it.each(["Start.", "Why?"])(
    "sent again after %j was answered returns the same message, and is stored once",
    async (content) => {
      const { session } = await conversation();
      const first = await session.say(content, "m1");
      const again = await session.say(content, "m1");
      expect(messageIdOf(again)).toBe(messageIdOf(first));
      expect(textOf(again)).toBe(textOf(first));
      expect((await session.read()).messages).toHaveLength(2);
      expect(world.llm.requests).toHaveLength(1);
    },
  );

  it("sent again after the conversation continued returns its first answer", async () => {
    const { session } = await conversation();
    const first = await session.say("Start.", "m1");
    await session.say("Why?", "m2");
    expect(messageIdOf(await session.say("Start.", "m1"))).toBe(messageIdOf(first));
    expect((await session.read()).messages).toHaveLength(4);
  });

  it("sent again during the answer joins its subscribers", async () => {
    const { client, session } = await conversation();
    const { held, release } = hold();
    world.llm.script({ chunks: ["One ", held, "two."] });
    const first = session.say("Why?", "m1");
    await expect.poll(() => world.llm.requests.length).toBe(1);
    const body = { content: "Why?", client_message_id: "m1" };
    const again = await openStream(world, client, "POST", `/chat/sessions/${session.id}/messages`, body);
    expect(await again.until("One ")).not.toContain("two.");
    release();
    expect(await again.rest()).toBe((await first).text);
    expect((await session.read()).messages).toHaveLength(2);
    expect(world.llm.requests).toHaveLength(1);
  });

  it("sent again returns the stored answer, also if the answer ends just before", async () => {
    const { person, session } = await conversation();
    const saying = { content: "Why?", clientMessageId: "m1" };
    const settings = {
      defaultModel: "model-of-the-tests",
      allowedModels: [],
      tutorPrompt: "tutor",
      now: world.deps.now(),
    };
    const turn = await openTurn(world.deps.db, person as never, session.id, saying, settings);
    if ("stored" in turn) throw new Error("nothing is stored yet");
    const answered = await session.say("Why?", "m1");
    const turnDeps = {
      ...world.deps,
      signal: noDeadline(),
      deadline: Number.MAX_SAFE_INTEGER,
    };
    const following = followOrProduceAnswer(turnDeps, turn, () =>
      openTurn(
        world.deps.db,
        person as never,
        session.id,
        { ...saying, question: turn.message_id },
        settings,
      ),
    );
    expect(await following.next()).toMatchObject({ value: [[textOf(answered)]] });
    expect(await following.next()).toMatchObject({ done: true, value: { id: messageIdOf(answered) } });
    expect(world.llm.requests).toHaveLength(1);
  });

  it("sent again after a failure of the LLM is answered, and stored once", async () => {
    const { session } = await conversation();
    world.llm.script({ status: 400 });
    expect((await session.say("Start.", "m1")).status).toBe(503);
    expect((await session.say("Start.", "m1")).status).toBe(200);
    expect((await session.read()).messages).toMatchObject([{ role: "user" }, { role: "assistant" }]);
  });

  it("sent twice concurrently is stored once, and both requests get the answer", async () => {
    const { session } = await conversation();
    const [one, two] = await Promise.all([session.say("Why?", "m1"), session.say("Why?", "m1")]);
    expect(messageIdOf(one)).toBe(messageIdOf(two));
    expect((await session.read()).messages).toHaveLength(2);
    expect(world.llm.requests).toHaveLength(1);
  });

  it("sent with another content is a 400 that names the id", async () => {
    const { session } = await conversation();
    await session.say("Start.", "m1");
    const refused = await session.say("Why?", "m1");
    expect(refused.status).toBe(400);
    expect(refused.body.detail).toContain("'m1'");
    expect((await session.read()).messages).toHaveLength(2);
  });

  it("is unique in its session alone", async () => {
    const [{ session: one }, { session: two }] = [await conversation(), await conversation()];
    expect((await one.say("Start.", "m1")).status).toBe(200);
    expect((await two.say("Why?", "m1")).status).toBe(200);
  });

  it("is not empty and at most 128 characters", async () => {
    const { session } = await conversation();
    expect((await session.say("Start.", "")).status).toBe(422);
    expect((await session.say("Start.", "m".repeat(129))).status).toBe(422);
    expect((await session.say("Start.", "m".repeat(128))).status).toBe(200);
  });
});
