import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Client, Reply } from "../../../support/client.ts";
import { makersOf } from "../../../support/makers.ts";
import { isExhaustive } from "../../../support/representatives.ts";
import { openWorld } from "../../../support/world.ts";
import { answerTo, hold, keepLeases, messageIdOf, openSession, openStream, textOf } from "./support.ts";

const world = openWorld();
const make = makersOf(world);
keepLeases(world);

const asks = (questionId: string, said = "Well.") => {
  const options = ["A", "B"].map((id) => ({ id, text: `Option ${id}` }));
  const key = { answer: "A", misconceptions: [], skill: null };
  const blocks = { mcq: { questionId, question: `Which of ${questionId}?`, options }, key };
  const written = Object.entries(blocks).map(
    ([info, value]) => `\`\`\`${info}\n${JSON.stringify(value)}\n\`\`\``,
  );
  return { chunks: [`${said}\n${written.join("\n")}`] };
};

/** Each choice leads to the next question, by number. */
beforeEach(() =>
  world.llm.improvise(({ messages }) => {
    const choices = messages.filter(({ role, content }) => role === "user" && content.startsWith("{"));
    return asks(`q${choices.length + 1}`, `Answer ${choices.length}.`);
  }),
);
afterEach(() => world.llm.reset());

/** A learner's conversation after its greeting, and a click in a tab that shows an answer. */
async function greeted() {
  const { item } = await make.topic();
  const client = world.as(await make.person());
  const session = await openSession(client, item.id);
  const first = messageIdOf(await session.say("Start."));
  const click = (content: string, answers_message_id: number, of = session.id) =>
    client.post(`/chat/sessions/${of}/messages`, { content, answers_message_id });
  const said = async () =>
    (await session.read()).messages.filter(({ role }: { role: string }) => role === "user").length;
  return { item, client, session, first, click, said };
}

const expectOutdated = (reply: Reply, current: number | undefined) => {
  expect([reply.status, reply.body.detail]).toEqual([409, "The tutor has asked another question since"]);
  expect(reply.headers.get("x-error-code")).toBe("another_question_asked");
  expect(reply.headers.get("retry-after")).toBeNull();
  expect(reply.body.current?.id).toBe(current);
};

describe("a choice that names the answer with its question", () => {
  it("is answered as without the name, in as many round trips", async () => {
    const { click, first, item } = await greeted();
    const other = await openSession(world.as(await make.person()), item.id);
    await other.say("Start.");
    const clicked = await click(answerTo("q1", "A"), first);
    expect(textOf(clicked)).toContain("Answer 1.");
    const roundTrips = () => world.log.at(-1)?.["db_query_count"];
    const counts = [];
    await other.say(answerTo("q1", "A"));
    counts.push(roundTrips());
    const named = await greeted();
    const again = await openSession(named.client, item.id);
    const start = messageIdOf(await again.say("Start."));
    await named.click(answerTo("q1", "A"), start, again.id);
    counts.push(roundTrips());
    expect(counts).toEqual([1, 1]);
  });

  it("is a 409 with the present question once the tutor asked another one, and does nothing", async () => {
    const { click, first, session, said } = await greeted();
    const second = messageIdOf(await click(answerTo("q1", "A"), first));
    const calls = world.llm.calls();
    const before = await session.read();
    const refused = await click(answerTo("q1", "B"), first);
    expectOutdated(refused, second);
    expect(refused.body.current).toEqual(before.messages.at(-1));
    expect(refused.body.current.question.questionId).toBe("q2");
    expect(await session.read()).toEqual(before);
    expect([await said(), world.llm.calls()]).toEqual([2, calls]);
  });

  it("is a 409 for anything that is no such answer", async () => {
    const { item, click, first, session, client } = await greeted();
    const elsewhere = await greeted();
    const [question] = (await session.read()).messages;
    for (const id of [question.id, elsewhere.first, 2_000_000_000, 2 ** 52])
      expectOutdated(await click(answerTo("q1", "A"), id), first);
    const silent = await openSession(client, item.id);
    expectOutdated(await click(answerTo("q1", "A"), first, silent.id), undefined);
    for (const id of [0, -1, 1.5, "x"])
      expect((await click(answerTo("q1", "A"), id as number)).status).toBe(422);
  });

  it("may name any answer that repeats the question after a move", async () => {
    for (const which of [0, 1]) {
      const { click, first, session } = await greeted();
      const hint = messageIdOf(await click("@hint", first));
      expect(textOf(await click(answerTo("q1", "A"), [first, hint][which] ?? 0))).toContain("Answer 1.");
      expect((await session.read()).cache_state).toBe("TRACKING");
    }
  });

  it("in an aside names the question of the path, or one of the aside's own", async () => {
    const { click, first, client, item, session } = await greeted();
    const aside = (await client.post("/chat/sessions", { content_item_id: item.id, aside_of: session.id }))
      .body;
    const own = messageIdOf(await click(answerTo("q1", "A"), first, aside.id));
    expectOutdated(await click(answerTo("q1", "B"), first, aside.id), own);
    expect((await click(answerTo("q2", "B"), own, aside.id)).status).toBe(200);
  });
});

describe("a repeated click", () => {
  it.each([answerTo("q1", "A"), "@hint", answerTo("q1", "@hint")])(
    "on %s returns the answer that was given, however much came since",
    async (content) => {
      const { click, first, session, said } = await greeted();
      const given = await click(content, first);
      const calls = world.llm.calls();
      const again = await click(content, first);
      expect([messageIdOf(again), textOf(again)]).toEqual([messageIdOf(given), textOf(given)]);
      await click(answerTo("q1", "A"), messageIdOf(given));
      await session.say("Words of my own");
      const before = await said();
      expect(messageIdOf(await click(content, first))).toBe(messageIdOf(given));
      expect(await said()).toBe(before);
      expect(world.llm.calls()).toBeLessThanOrEqual(calls + 2);
    },
  );

  it("is the same choice in another spelling too, on the path", async () => {
    const { click, first, said } = await greeted();
    const given = messageIdOf(await click(answerTo("q1", "A"), first));
    for (const answer of ["Option A", " a ", "OPTION A"])
      expect(messageIdOf(await click(answerTo("q1", answer), first))).toBe(given);
    expect(await said()).toBe(2);
  });

  it("of a second hint is another hint", async () => {
    const { click, first, said } = await greeted();
    const hint = messageIdOf(await click("@hint", first));
    const second = messageIdOf(await click("@hint", hint));
    expect(second).toBeGreaterThan(hint);
    expect(messageIdOf(await click("@hint", hint))).toBe(second);
    expect(messageIdOf(await click("@hint", first))).toBe(hint);
    expect(await said()).toBe(3);
  });

  it("during the answer follows it, and costs no call", async () => {
    const { client, click, first, session, said } = await greeted();
    const { held, release } = hold();
    world.llm.script({ chunks: ["One ", held, "two."] });
    const calls = world.llm.calls();
    const given = click(answerTo("q1", "A"), first);
    await expect.poll(() => world.llm.calls()).toBe(calls + 1);
    const body = { content: answerTo("q1", "A"), answers_message_id: first };
    const again = await openStream(world, client, "POST", `/chat/sessions/${session.id}/messages`, body);
    await again.until("One ");
    const other = await click(answerTo("q1", "B"), first);
    expect([other.status, other.headers.get("x-error-code")]).toEqual([409, "answer_being_written"]);
    release();
    expect(await again.rest()).toBe((await given).text);
    expect([await said(), world.llm.calls()]).toEqual([2, calls + 1]);
  });

  it("after a failure asks again for the same message, and leaves the question open", async () => {
    const { click, first, said } = await greeted();
    world.llm.script({ status: 529, times: 12 });
    expect((await click(answerTo("q1", "A"), first)).status).toBe(503);
    world.llm.reset();
    world.llm.script(asks("q2", "Answer 1."));
    expect(textOf(await click(answerTo("q1", "A"), first))).toContain("Answer 1.");
    expect(await said()).toBe(2);
  });

  it("in a private conversation is answered once too", async () => {
    const { click, session, said } = await greeted();
    const own = messageIdOf(await session.say("Words of my own"));
    const given = messageIdOf(await click(answerTo("q1", "A"), own));
    expect((await session.read()).cache_state).toBe("DIVERGED");
    expect(messageIdOf(await click(answerTo("q1", "A"), own))).toBe(given);
    expect(await said()).toBe(3);
  });
});

describe("two tabs", () => {
  it.each([
    ["the same choice", ["A", "A"]],
    ["two choices", ["A", "B"]],
  ])("with %s at once store one message, make one call and agree", async (_, choices) => {
    for (let round = 0; round < 8; round += 1) {
      const { click, first, session, said } = await greeted();
      const calls = world.llm.calls();
      const replies = await Promise.all(choices.map((choice) => click(answerTo("q1", choice), first)));
      const answered = replies.filter(({ status }) => status === 200);
      expect(new Set(answered.map(messageIdOf)).size).toBe(1);
      expect(answered).toHaveLength(3 - new Set(choices).size);
      for (const { status } of replies) expect([200, 409]).toContain(status);
      expect([await said(), world.llm.calls() - calls]).toEqual([2, 1]);
      expect((await session.read()).messages).toHaveLength(4);
    }
  });

  it("in any order of clicks, each possibly outdated, take one choice for a question", async () => {
    const step = fc.record({
      tab: fc.nat(1),
      act: fc.constantFrom("look", "A", "A", "B", "@hint"),
      isTogether: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 10 }), async (steps) => {
        const { click, first, session } = await greeted();
        const newest = async () => {
          const { id, question } = (await session.read()).messages.at(-1);
          return { id, questionId: String(question.questionId) };
        };
        const tabs = [await newest(), await newest()];
        const taken = new Map<string, { choice: string; reply: number }>();
        expect(tabs[0]?.id).toBe(first);
        for (const { tab, act, isTogether } of steps) {
          const shown = tabs[tab] ?? fail();
          if (act === "look") {
            tabs[tab] = await newest();
            continue;
          }
          const send = () => click(act === "@hint" ? act : answerTo(shown.questionId, act), shown.id);
          const current = (await newest()).questionId;
          const replies = isTogether ? await Promise.all([send(), send()]) : [await send()];
          const ids = replies.map((reply) => (reply.status === 200 ? messageIdOf(reply) : undefined));
          expect(new Set(ids).size).toBe(1);
          const known = taken.get(shown.questionId);
          if (act === "@hint") {
            if (shown.questionId === current) expect(ids[0]).toBeDefined();
          } else if (known) expect(ids[0]).toBe(known.choice === act ? known.reply : undefined);
          else taken.set(shown.questionId, { choice: act, reply: ids[0] ?? fail() });
        }
        const { messages } = await session.read();
        const choices = messages.filter(
          ({ role, content }: { role: string; content: string }) =>
            role === "user" && content.startsWith("{"),
        );
        expect(choices).toHaveLength(taken.size);
      }),
      { numRuns: isExhaustive() ? 100 : 10 },
    );
  });
});

function fail(): never {
  throw new Error("missing");
}

it("a client that leaves the name out chooses for the last question, as before", async () => {
  const client: Client = world.as(await make.person());
  const session = await openSession(client, (await make.topic()).item.id);
  await session.say("Start.");
  expect(textOf(await session.say(answerTo("q1", "A")))).toContain("Answer 1.");
});
