import { sql } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { openTurn } from "../../../../lib/tutor/chat/open-turn.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";
import { hold, keepLeases, messageIdOf, openConversation, openStream, textOf } from "./support.ts";

const world = openWorld();
const make = makersOf(world);
keepLeases(world);

afterEach(() => world.llm.reset());

const conversation = () => openConversation(world);

describe("resuming the answer in progress", () => {
  it.each(["Start.", "Why is that so?"])(
    "to %j starts at its first chunk, live, next to another subscriber",
    async (content) => {
      const { client, session } = await conversation();
      const { held, release } = hold();
      world.llm.script({ chunks: ["One ", held, "two."] });
      const first = session.say(content);
      await expect.poll(() => world.llm.requests.length).toBe(1);
      const path = `/chat/sessions/${session.id}/stream`;
      const [second, third] = await Promise.all([
        openStream(world, client, "GET", path),
        openStream(world, client, "GET", path),
      ]);
      expect(await second.until("One ")).not.toContain("two.");
      release();
      const rest = await second.rest();
      expect(rest).toContain("two.");
      expect(await third.rest()).toBe(rest);
      expect((await first).text).toBe(rest);
      expect(world.llm.requests).toHaveLength(1);
      expect((await session.read()).messages).toHaveLength(2);
    },
  );

  it("returns it completely after the original caller has gone", async () => {
    const { client, session } = await conversation();
    const { held, release } = hold();
    world.llm.script({ chunks: ["One ", held, "two."] });
    const asked = await openStream(world, client, "POST", `/chat/sessions/${session.id}/messages`, {
      content: "Start.",
    });
    await asked.until("One ");
    await asked.leave();
    const again = await openStream(world, client, "GET", `/chat/sessions/${session.id}/stream`);
    await again.until("One ");
    release();
    expect(await again.rest()).toContain("two.");
  });

  it("has the answer generated again after the death of its process", async () => {
    const { person, session } = await conversation();
    const { db } = world.deps;
    const settings = {
      defaultModel: "model-of-the-tests",
      allowedModels: [],
      tutorPrompt: "tutor",
      now: world.deps.now(),
    };
    const turn = await openTurn(db, person as never, session.id, { content: "Why?" }, settings);
    if ("stored" in turn) throw new Error("nothing is stored yet");
    const gone = crypto.randomUUID();
    await db.execute(sql`
      with claimed as (
        select claim_answer_generation(jsonb_build_object(
          'session', ${session.id}::int, 'token', ${turn.token}::text, 'shared', false,
          'prompt', 'tutor', 'prompt_version', 1, 'model', 'model-of-the-tests', 'prompt_fingerprint', 'any',
          'uses_surroundings', false, 'maker', ${gone}::text, 'seconds', 60,
          'budget', '{"reserve": 0}'::jsonb)) as answer)
      select append_chunks_and_renew_lease((answer ->> 'generation')::bigint, ${gone}::uuid, 0, '["Lost "]') from claimed`);
    await db.execute(
      sql`update generations set lease_until = now() - interval '1 second' where token = ${gone}`,
    );
    await db.execute(sql`
      update chat_sessions set answering_until = now() - interval '1 second' where id = ${session.id}`);

    expect((await session.read()).answering).toMatchObject({ message_id: turn.message_id });
    world.llm.script({ chunks: ["Found."] });
    const resumed = await session.resume();
    expect(textOf(resumed)).toBe("Found.");
    const { messages, answering } = await session.read();
    expect(messages).toMatchObject([
      { id: turn.message_id },
      { id: messageIdOf(resumed), content: "Found." },
    ]);
    expect(answering).toBeNull();
  });

  it("is a 400 when nothing is being answered, before and after", async () => {
    const { session } = await conversation();
    const nothing = { status: 400, body: { detail: "No answer is being written" } };
    expect(await session.resume()).toMatchObject(nothing);
    await session.say("Start.");
    expect(await session.resume()).toMatchObject(nothing);
  });

  it("is a 403 for another's session and a 404 for none", async () => {
    const { session } = await conversation();
    const { held, release } = hold();
    world.llm.script({ chunks: ["One ", held] });
    const first = session.say("Start.");
    await expect.poll(() => world.llm.requests.length).toBe(1);
    const other = world.as(await make.person());
    expect((await other.get(`/chat/sessions/${session.id}/stream`)).status).toBe(403);
    expect((await other.get("/chat/sessions/2000000000/stream")).status).toBe(404);
    release();
    await first;
  });
});

describe("a session with a pending answer", () => {
  it("says since when, and for which message; another message is a 409 that says when to try again", async () => {
    const { session } = await conversation();
    expect((await session.read()).answering).toBeNull();
    const { held, release } = hold();
    world.llm.script({ chunks: ["One ", held] });
    const first = session.say("Start.");
    await expect.poll(() => world.llm.requests.length).toBe(1);
    const { answering, messages } = await session.read();
    expect(answering).toEqual({ since: expect.stringMatching(/Z$/), message_id: messages[0].id });
    const refused = await session.say("Why?");
    expect(refused.status).toBe(409);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    release();
    await first;
    expect((await session.read()).answering).toBeNull();
  });
});
