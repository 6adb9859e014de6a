import { sql } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { openTurn } from "../../../../lib/tutor/chat/open-turn.ts";
import { holdDeadlines } from "../../../support/held-deadlines.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";
import {
  answerTo,
  eventsOf,
  hold,
  keepLeases,
  messageIdOf,
  openConversation,
  openSession,
  openStream,
  textOf,
} from "./support.ts";

const world = openWorld();
const make = makersOf(world);
keepLeases(world);

afterEach(() => world.llm.reset());

const conversation = () => openConversation(world);

const messagesUrl = (id: number) => `/api/v1/chat/sessions/${id}/messages`;

describe("two subscribers in one session", () => {
  it("both get the stored answer, also if one closed the turn with another answer", async () => {
    const { client, session } = await conversation();
    const { held, release } = hold();
    world.llm.script({ chunks: ["One ", held, "two."] });
    const stream = await openStream(world, client, "POST", `/chat/sessions/${session.id}/messages`, {
      content: "Start.",
    });
    await stream.until("One ");
    const { rows } = await world.deps.db.execute<{ id: number }>(sql`
      select stored.id from chat_sessions as s, store_answer_and_end_turn(s.id, s.answering_message_id, '["Another."]',
        '{"source": "llm"}', true, null, false) as stored
      where s.id = ${session.id}`);
    release();
    const told = { text: await stream.rest() } as never;
    expect(textOf(told)).toBe("Another.");
    expect(messageIdOf(told)).toBe(rows[0]?.id);
  });

  it.each(["Start.", "Why is that so?"])(
    "are independent: one is answered after the other ended the turn of %j",
    async (content) => {
      const { client, session } = await conversation();
      const { held, release } = hold();
      world.llm.script({ chunks: ["One ", held, "two."] });
      const stream = await openStream(world, client, "POST", `/chat/sessions/${session.id}/messages`, {
        content,
      });
      await stream.until("One ");
      await world.deps.db.execute(sql`
        update chat_sessions set answering_message_id = null, answering_generation_id = null,
          answering_since = null, answering_token = null, answering_until = null
        where id = ${session.id}`);
      release();
      const told = { text: await stream.rest() } as never;
      expect(textOf(told)).toBe("One two.");
      expect((await session.read()).messages.at(-1).id).toBe(messageIdOf(told));
      expect(world.llm.requests).toHaveLength(1);
    },
  );

  it("do not lose the answer when the producer's time is up", async () => {
    const { client, session } = await conversation();
    const deadlines = holdDeadlines();
    world.llm.script({ chunks: ["Half "], failure: "hang" }, { chunks: ["Half ", "and whole."] });
    const first = await world.app.request(
      messagesUrl(session.id),
      {
        method: "POST",
        headers: { authorization: `Bearer ${await client.token}` },
        body: JSON.stringify({ content: "Start." }),
      },
      { lambdaContext: { getRemainingTimeInMillis: () => 8000 } },
    );
    const second = await openStream(world, client, "GET", `/chat/sessions/${session.id}/stream`);
    await second.until("Half ");
    deadlines.pass(3000);
    expect(await first.text()).toContain('"done":true,"error":');
    const told = { text: await second.rest() } as never;
    expect(textOf(told)).toBe("Half and whole.");
    expect((await session.read()).messages.at(-1).id).toBe(messageIdOf(told));
  });
});

describe("a subscriber of an answer whose producer then fell silent", () => {
  it("keeps the turn by the token of its new request", async () => {
    const { item, person, session } = await conversation();
    const { db } = world.deps;
    const settings = {
      defaultModel: "model-of-the-tests",
      allowedModels: [],
      tutorPrompt: "tutor",
      now: world.deps.now(),
    };
    const turn = await openTurn(db, person as never, session.id, { content: "Start." }, settings);
    if ("stored" in turn) throw new Error("nothing is stored yet");
    await db.execute(sql`
      select claim_answer_generation(jsonb_build_object(
        'session', ${session.id}::int, 'token', ${turn.token}::text, 'shared', true, 'message', 'Start.',
        'prompt', tutor.name, 'prompt_version', tutor.version, 'model', 'model-of-the-tests',
        'prompt_fingerprint', tutor.plain_fingerprint, 'uses_surroundings', false,
        'maker', ${crypto.randomUUID()}::text, 'seconds', 60, 'budget', '{"reserve": 0}'::jsonb))
      from tutor_prompt_of_content_type('text', 'tutor') as tutor`);

    const classmate = world.as(await make.person());
    const joined = await openSession(classmate, item.id);
    const { held, release } = hold();
    world.llm.script({ chunks: ["One ", held, "two."] });
    const answered = joined.say("Start.");
    const isGivenTheAnswer = async () =>
      (
        await db.execute(
          sql`select from chat_sessions where id = ${joined.id} and answering_generation_id is not null`,
        )
      ).rows.length;
    await expect.poll(isGivenTheAnswer).toBe(1);
    await db.execute(sql`
      update chat_sessions set answering_message_id = null, answering_token = null, answering_until = null
      where id = ${joined.id}`);
    await db.execute(sql`update generations set lease_until = now() - interval '1 second'`);
    await expect.poll(() => world.llm.requests.length).toBe(1);
    await db.execute(
      sql`update chat_sessions set answering_until = now() - interval '1 second' where id = ${joined.id}`,
    );
    const isKept = async () =>
      (await db.execute(sql`select from chat_sessions where id = ${joined.id} and answering_until > now()`))
        .rows.length;
    await expect.poll(isKept).toBe(1);
    release();
    expect(textOf(await answered)).toBe("One two.");
  });
});

describe("a path that is purged between the end of an answer and its storage", () => {
  it("is no error for its subscribers: they get a private answer", async () => {
    const { session } = await conversation();
    await session.say("Start.");
    const { db } = world.deps;
    await db.execute(sql`
      create function purge_path_of_test() returns trigger language plpgsql as $$
      begin
        perform purge_stored_answer_with_subtree(new.parent_id);
        return null;
      end $$`);
    await db.execute(sql`
      create trigger purge_path_of_test after update on generations for each row
      when (new.state = 'complete' and new.parent_id is not null) execute function purge_path_of_test()`);
    const reply = await session.say(answerTo("q1", "A"));
    await db.execute(sql`drop function purge_path_of_test() cascade`);
    expect(eventsOf(reply).at(-1)).not.toHaveProperty("error");
    const { messages, cache_state } = await session.read();
    expect(messages.at(-1)).toMatchObject({ id: messageIdOf(reply), content: textOf(reply) });
    expect(cache_state).toBe("DIVERGED");
  });
});
