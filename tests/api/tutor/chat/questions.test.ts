import { eq, sql } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { cacheNodes } from "../../../../schema/db/tutor/cache.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";
import {
  answerTo,
  chunksOf,
  eventsOf,
  hold,
  keepLeases,
  messageIdOf,
  openSession,
  textOf,
} from "./support.ts";

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
  return { learner, nodes, item };
}

/** Learners of one topic who have all reached the question. */
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

  it("is absent if an answer has no block, and every answer is then on the path, as before", async () => {
    const { learner, nodes } = await topic();
    world.llm.script({ chunks: ["Just words."] });
    const session = await learner();
    expect(eventsOf(await session.say("Start.")).at(-1)).not.toHaveProperty("question");
    await session.say(answerTo("q9", "whatever"));
    expect(await nodes()).toHaveLength(2);
    expect((await session.read()).cache_state).toBe("TRACKING");
  });

  it("is sent and stored in the service's format, however the model wrote it", async () => {
    const { learner, nodes } = await topic();
    const written =
      "{'questionId': 'q1', 'question': 'Which way does a carry go?', // a comment\n'options': {'A': 'To the left', 'B': 'Café',}}";
    world.llm.script({
      chunks: ["Think of it. \n~", "~~m", `cq\n${written.slice(0, 40)}`, `${written.slice(40)}\n~~~\n`],
    });
    const session = await learner();
    const reply = await session.say("Start.");
    expect(chunksOf(reply)).toEqual(["Think of it. \n", asks(question).slice(1).join("").trimStart(), "\n"]);
    expect(eventsOf(reply).at(-1)).toMatchObject({ question });
    expect(await nodes()).toMatchObject([{ question, chunks: chunksOf(reply) }]);
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

describe("an unreadable question", () => {
  const broken = [
    "Think of it.\n",
    "```mcq\n",
    '{"questionId": "q1", "question": "Which?"}',
    "\n```",
    "\nGood luck!",
  ];
  /** The number of sessions subscribed to the generation. */
  const listening = async (itemId: number) =>
    (
      await world.deps.db.execute<{ count: number }>(sql`
        select count(*)::int as count from chat_sessions
        where content_item_id = ${itemId} and answering_generation_id is not null`)
    ).rows[0]?.count;
  const callsOf = async (itemId: number) =>
    (
      await world.deps.db.execute<Record<string, unknown>>(
        sql`select outcome, is_repair, message_id, input_tokens, output_tokens from llm_calls
            where content_item_id = ${itemId} order by id`,
      )
    ).rows;

  it("is requested once more, the block alone, and the class gets the result", async () => {
    const { learner, nodes, item } = await topic();
    const { held, release } = hold();
    world.llm.script(
      { chunks: [...broken, held], input_tokens: 100, output_tokens: 20 },
      { chunks: [JSON.stringify(question)], input_tokens: 130, output_tokens: 30 },
    );
    const sessions = await Promise.all([learner(), learner(), learner()]);
    const replies = sessions.map((session) => session.say("Start."));
    await expect.poll(() => listening(item.id)).toBe(3);
    release();
    const told = ["Think of it.\n", asks(question).slice(1).join("").trimStart(), "\nGood luck!"].join("");
    for (const reply of await Promise.all(replies)) {
      expect(textOf(reply)).toBe(told);
      expect(eventsOf(reply).at(-1)).toMatchObject({ question });
    }
    expect(await nodes()).toMatchObject([{ question, answer: told }]);
    expect(world.llm.requests).toHaveLength(2);
    expect(world.llm.requests[1]?.messages.at(-2)?.content).toContain(broken[2]);
    const [first, second, ...more] = await callsOf(item.id);
    expect(more).toEqual([]);
    expect(first).toMatchObject({ outcome: "complete", is_repair: false, input_tokens: 100 });
    expect(second).toMatchObject({ outcome: "complete", is_repair: true, input_tokens: 130 });
    expect(second?.["message_id"]).toBe(first?.["message_id"]);
    expect(await sessions[0]?.lastMeta()).toMatchObject({ input_tokens: 230, output_tokens: 50 });
  });

  it("that stays unreadable is sent as written, marked, counted and logged, and leaves no node", async () => {
    const { learner, nodes, item } = await topic();
    const { held, release } = hold();
    world.llm.script({ chunks: [...broken, held] }, { chunks: ["I cannot."] });
    const [one, other] = [await learner(), await learner()];
    const replies = [one.say("Start."), other.say("Start.")];
    await expect.poll(() => listening(item.id)).toBe(2);
    release();
    for (const reply of await Promise.all(replies)) {
      expect(textOf(reply)).toBe(broken.join(""));
      expect(eventsOf(reply).at(-1)).not.toHaveProperty("question");
    }
    for (const session of [one, other]) {
      expect(await session.lastMeta()).toMatchObject({ source: "llm", stop: "malformed" });
      expect(await session.read()).toMatchObject({ cache_node_id: null, cache_state: "TRACKING" });
    }
    expect(await nodes()).toEqual([]);
    expect((await callsOf(item.id)).map(({ outcome }) => outcome)).toEqual(["complete", "complete"]);
    await world.deps.metrics.report();
    expect(await (await world.app.request("/metrics")).text()).toMatch(
      /tutor_questions_total\{outcome="malformed"\} [1-9]/,
    );
  });

  it("is sent as written if the LLM fails, and if the university's month has no budget for another call", async () => {
    const { learner, item } = await topic();
    world.llm.script({ chunks: broken }, { status: 400 });
    const session = await learner();
    expect(textOf(await session.say("Start."))).toBe(broken.join(""));
    expect(await session.lastMeta()).toMatchObject({ stop: "malformed" });
    expect((await callsOf(item.id)).map(({ outcome }) => outcome)).toEqual(["complete", "failed"]);

    world.llm.script({ chunks: broken, input_tokens: 1_000_000 });
    await world.deps.db.execute(sql`
      insert into tutor_budgets (university_id, granted_tokens_per_month) values (${item.university_id}, 1000000)`);
    expect(textOf(await session.say("Start."))).toBe(broken.join(""));
    expect(await session.lastMeta()).toMatchObject({ stop: "malformed" });
    expect(await callsOf(item.id)).toHaveLength(3);
  });

  it("costs the person no turn of their day", async () => {
    const { learner, item } = await topic();
    await world.deps.db.execute(sql`
      insert into tutor_budgets (university_id, granted_turns_per_day) values (${item.university_id}, 2)`);
    const session = await learner();
    world.llm.script({ chunks: broken }, { chunks: asks(question) });
    expect((await session.say("Start.")).status).toBe(200);
    expect((await session.say("words")).status).toBe(200);
    expect((await session.say("more words")).status).toBe(429);
  });
});

describe("an answer that matches no option exactly", () => {
  it.each([
    ["b", "B"],
    ["ｂ", "B"],
    ["\u200b CAFÉ\u00ad", "B"],
    ["to the LEFT\u3000", "A"],
  ])("is the one option that matches without case and invisible characters: %j", async (answer, id) => {
    const { sessions, nodes } = await asked(1);
    await sessions[0].say(answerTo("q1", answer));
    expect((await nodes()).at(-1)).toMatchObject({ message: `{"answer":"${id}","questionId":"q1"}` });
    expect((await sessions[0].read()).cache_state).toBe("TRACKING");
    // A repeated answer returns the stored reply without an LLM call.
    const calls = world.llm.requests.length;
    await sessions[0].say(answerTo("q1", answer));
    expect(world.llm.requests).toHaveLength(calls);
  });

  it("is none if two options match", async () => {
    const { learner, nodes } = await topic();
    const options = ["x²", "x2", "Aa", "aa"].map((text, at) => ({ id: `o${at}`, text }));
    world.llm.script({ chunks: asks({ ...question, options }) });
    const session = await learner();
    await session.say("Start.");
    await session.say(answerTo("q1", "X2"));
    expect(await nodes()).toHaveLength(1);
    expect((await session.read()).cache_state).toBe("DIVERGED");
    const exact = await learner();
    await exact.say("Start.");
    await exact.say(answerTo("q1", "x²"));
    expect((await nodes()).at(-1)).toMatchObject({ message: '{"answer":"o0","questionId":"q1"}' });
  });
});
