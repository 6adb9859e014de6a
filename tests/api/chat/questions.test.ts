import { eq } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { cacheNodes } from "../../../schema/db/cache.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";
import { answerTo, chunksOf, eventsOf, keepLeases, messageIdOf, openSession } from "./support.ts";

const world = openWorld();
const make = makersOf(world);
keepLeases(world);

afterEach(() => world.llm.reset());

const question = {
  questionId: "q1",
  question: "Which way does a carry go?",
  options: [
    { id: "A", text: "To the left" },
    { id: "B", text: "Café" },
  ],
};

const asks = (asked: object) => ["Think of it. ", "\n```mcq\n", JSON.stringify(asked), "\n```"];

async function topic() {
  const { item } = await make.topic();
  const learner = async () => openSession(world.as(await make.person()), item.id);
  const nodes = () =>
    world.deps.db
      .select()
      .from(cacheNodes)
      .where(eq(cacheNodes.content_item_id, item.id))
      .orderBy(cacheNodes.id);
  return { learner, nodes };
}

/** Learners of one topic who have all been asked the question. */
async function asked(count: number) {
  const { learner, nodes } = await topic();
  world.llm.script({ chunks: asks(question) });
  const first = await learner();
  await first.say("Start.");
  const others = await Promise.all(Array.from({ length: count - 1 }, learner));
  await Promise.all(others.map((session) => session.say("Start.")));
  return { sessions: [first, ...others] as [typeof first, ...(typeof first)[]], nodes };
}

describe("a question of the tutor", () => {
  it("is data in the closing event and in the message, live, replayed, greeted and read back", async () => {
    const { learner } = await topic();
    world.llm.script({ chunks: asks(question) });
    const [live, replayed, greeted] = [await learner(), await learner(), await learner()];
    for (const session of [live, replayed]) {
      const last = eventsOf(await session.say("Start.")).at(-1);
      expect(last).toEqual({ content: "", done: true, message_id: expect.any(Number), question });
      expect((await session.read()).messages).toMatchObject([{ question: null }, { question }]);
    }
    expect((await greeted.greet()).body).toMatchObject({ question, content: asks(question).join("") });
  });

  it("is none where an answer holds no block, or a malformed one, and every answer is on the path then, as before", async () => {
    for (const chunks of [["Just words."], asks({ ...question, options: [] })]) {
      const { learner, nodes } = await topic();
      world.llm.script({ chunks });
      const session = await learner();
      expect(eventsOf(await session.say("Start.")).at(-1)).not.toHaveProperty("question");
      await session.say(answerTo("q9", "whatever"));
      expect(await nodes()).toHaveLength(2);
      expect((await session.read()).cache_state).toBe("TRACKING");
    }
  });

  it("holds what no database does, and the answer is stored all the same, without a question", async () => {
    const { learner, nodes } = await topic();
    world.llm.script({ chunks: asks({ ...question, question: "Which\u0000?" }) });
    const session = await learner();
    expect(eventsOf(await session.say("Start.")).at(-1)).toMatchObject({
      done: true,
      message_id: expect.any(Number),
    });
    expect(await nodes()).toMatchObject([{ question: null }]);
  });
});

describe("an answer to the question", () => {
  it("by an option's id, its text and every spelling of both, is one node and one call", async () => {
    const spellings = [
      answerTo("q1", "B"),
      answerTo(" q1 ", "B\n"),
      answerTo("q1", "Café"),
      answerTo("q1", " Cafe\u0301 "),
      '{"answer":"B","mode":"curious","questionId":"q1"}',
    ];
    const { sessions, nodes } = await asked(spellings.length);
    const calls = world.llm.requests.length;
    const replies = await Promise.all(sessions.map((session, index) => session.say(spellings[index] ?? "")));
    for (const reply of replies) expect(chunksOf(reply)).toEqual(chunksOf(replies[0] as typeof reply));
    expect(world.llm.requests.length - calls).toBe(1);
    expect(await nodes()).toMatchObject([
      { message: "Start." },
      { message: '{"answer":"B","questionId":"q1"}' },
    ]);
    for (const session of sessions) expect((await session.read()).cache_state).toBe("TRACKING");
  });

  it("that is made up costs no node, however often and however spelled, and leaves the tree", async () => {
    const madeUp = Array.from({ length: 46 }, (_, index) =>
      index % 2 ? answerTo("q1", `Z${index}`) : answerTo(`q${index + 2}`, "A"),
    );
    const { sessions, nodes } = await asked(madeUp.length);
    const replies = await Promise.all(sessions.map((session, index) => session.say(madeUp[index] ?? "")));
    for (const { status } of replies) expect(status).toBe(200);
    expect(await nodes()).toHaveLength(1);
    for (const session of sessions.slice(0, 3)) expect((await session.read()).cache_state).toBe("DIVERGED");
  });

  it("that was just given and is sent again is answered with the same words, and stays on the path", async () => {
    const { sessions, nodes } = await asked(1);
    const [session] = sessions;
    world.llm.script({ chunks: asks({ ...question, questionId: "q2" }) });
    const first = await session.say(answerTo("q1", "B"));
    const again = await session.say(answerTo("q1", "Café"));
    expect(chunksOf(again)).toEqual(chunksOf(first));
    expect(messageIdOf(again)).not.toBe(messageIdOf(first));
    expect(await nodes()).toHaveLength(2);
    expect((await session.read()).cache_state).toBe("TRACKING");
  });
});
