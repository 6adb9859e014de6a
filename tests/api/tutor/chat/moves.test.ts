import { sql } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { moveRequest } from "../../../../lib/tutor/dialogue/move-requests.ts";
import { moveIds } from "../../../../lib/tutor/dialogue/moves.ts";
import { treeViolationsQuery } from "../../../../proof/chaos/tree-violations.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";
import { answerTo, eventsOf, hold, keepLeases, openSession, openStream, textOf } from "./support.ts";

const world = openWorld();
const make = makersOf(world);
keepLeases(world);

afterEach(async () => {
  world.llm.reset();
  expect((await world.deps.db.execute(sql.raw(treeViolationsQuery))).rows).toEqual([]);
});

const question = {
  questionId: "q1",
  question: "Which?",
  options: ["A", "B"].map((id) => ({ id, text: `Option ${id}` })),
};
const key = { answer: "A", misconceptions: [{ id: "B", text: "B looks right" }], skill: "Signs" };
const block = (asked: object = question) => `\`\`\`mcq\n${JSON.stringify(asked)}\n\`\`\``;
const fence = (value: object = key) => `\n\`\`\`key\n${JSON.stringify(value)}\n\`\`\``;
const asks = { chunks: [`Think.\n${block()}${fence()}`] };

async function topic(first: { chunks: string[] } | undefined = asks) {
  const made = await make.topic();
  const instructor = world.as(await make.holder("instructor", made.university.id));
  const path = `/chat/topics/${made.item.id}/tree`;
  const learner = async () => {
    const client = world.as(await make.person());
    return { client, ...(await openSession(client, made.item.id)) };
  };
  const nodes = async () => (await instructor.get(path)).body.nodes;
  world.llm.script(first);
  const session = await learner();
  await session.say("Start.");
  return { ...made, instructor, path, learner, session, nodes };
}

const endOf = (reply: Parameters<typeof eventsOf>[0]) => eventsOf(reply).at(-1);
const rowsOf = async (id: number) =>
  (
    await world.deps.db.execute(
      sql`select role, content, question, question_key, meta ->> 'move' as move from chat_messages where session_id = ${id} order by id`,
    )
  ).rows;

describe("the moves of a question with a key", () => {
  it("are in the stream's end, live and replayed, in the greeting, in the session and its pages, and for staff", async () => {
    const { session, learner, nodes } = await topic();
    const [replayed, greeted] = [await learner(), await learner()];
    expect(endOf(await replayed.say("Start.", "one"))).toMatchObject({ question, moves: moveIds });
    expect(endOf(await replayed.say("Start.", "one"))).toMatchObject({ question, moves: moveIds });
    expect((await greeted.greet()).body).toMatchObject({ question, moves: moveIds });
    for (const { id, client } of [session, replayed]) {
      const pages = [`/chat/sessions/${id}`, `/chat/sessions/${id}/messages`];
      for (const page of pages)
        expect((await client.get(page)).body.messages).toMatchObject([{ moves: [] }, { moves: moveIds }]);
    }
    const { share_url } = (await session.client.post(`/chat/sessions/${session.id}/share`)).body;
    const shared = (await session.client.get(share_url.replace("/api/v1", ""))).body;
    expect(shared.messages).toMatchObject([{ moves: [] }, { question, moves: [] }]);
    expect(await nodes()).toMatchObject([{ moves: moveIds }]);
  });

  it("are absent without a key, and for an option with the same name", async () => {
    const { session } = await topic({ chunks: [block()] });
    expect((await session.read()).messages.at(-1)).toMatchObject({ question, moves: [] });
    expect((await session.say("@hint")).status).toBe(400);
    const called = { ...question, options: [...question.options, { id: "C", text: "@Hint" }] };
    const other = await topic({ chunks: [block(called) + fence()] });
    expect((await other.session.read()).messages.at(-1)).toMatchObject({ moves: moveIds.slice(1) });
    await other.session.say("@hint");
    expect((await other.nodes()).at(-1)).toMatchObject({ message: '{"answer":"C","questionId":"q1"}' });
  });
});

describe("a move", () => {
  it("is answered once for the class, carries the question, and leads on", async () => {
    const { session, learner, nodes, instructor, path } = await topic();
    const other = { ...question, question: "Another?", options: question.options.toReversed() };
    world.llm.script({ chunks: ["Look ", "left.\n", `${block(other)}${fence({ answer: "B" })}`, "\nGo."] });
    const reply = await session.say("@hint");
    expect(textOf(reply)).toBe("Look left.\n\n\nGo.");
    expect(endOf(reply)).toMatchObject({ question, moves: moveIds });
    const calls = world.llm.calls();
    const second = await learner();
    await second.say("Start.");
    for (const said of [" @Hint\n", answerTo("q1", "@hint")]) {
      const one = said === " @Hint\n" ? second : await learner();
      if (one !== second) await one.say("Start.");
      const replayed = await one.say(said);
      expect(textOf(replayed)).toBe(textOf(reply));
      expect(endOf(replayed)).toMatchObject({ question, moves: moveIds });
    }
    expect(world.llm.calls()).toBe(calls);
    await second.say(answerTo("q1", "Option B"));
    const [root, hint, answered] = await nodes();
    expect(hint).toMatchObject({ parent_id: root.id, message: "@hint", question, key, moves: moveIds });
    expect(answered).toMatchObject({ parent_id: hint.id, message: '{"answer":"B","questionId":"q1"}' });
    expect(root).toMatchObject({
      options: [
        { id: "A", visits: 0, share: null },
        { id: "B", visits: 0, share: null },
      ],
      moves_taken: moveIds.map((move) => ({ move, visits: move === "@hint" ? 3 : 0 })),
    });
    expect(hint.options).toMatchObject([{ share: 0 }, { visits: 1, share: 1 }]);
    expect((await second.read()).cache_state).toBe("TRACKING");
    expect((await second.read()).messages.at(-3)).toMatchObject({ question, meta: { move: "@hint" } });
    const edited = await instructor.put(`${path}/nodes/${hint.id}`, {
      answer: `Look right.\n${block(other)}`,
    });
    expect(edited.body).toMatchObject({ answer: "Look right.", question, key, version: 2 });
    expect(await nodes()).toHaveLength(3);
    const empty = await instructor.put(`${path}/nodes/${hint.id}`, { answer: block(other) });
    expect(empty.status).toBe(422);
    const keyed = await instructor.put(`${path}/nodes/${hint.id}/key`, { answer: "B" });
    expect([keyed.status, keyed.body.detail]).toEqual([
      400,
      "This answer repeats the question of the answer above. Correct the key there",
    ]);
  });

  it("is put to the model in plain words, the same for two people and in the history", async () => {
    const { session, learner, item } = await topic();
    await session.say("@hint");
    await session.say("@simpler");
    const [, first] = world.llm.bodies;
    const texts = world.llm.requests.at(-1)?.messages.map(({ content }) => content) ?? [];
    expect(texts.filter((_, at) => at % 2 === 0)).toEqual([
      "Start.",
      moveRequest("@hint", "en"),
      moveRequest("@simpler", "en"),
    ]);
    await world.deps.db.execute(
      sql`delete from cache_nodes where parent_id is not null and content_item_id = ${item.id}`,
    );
    const other = await learner();
    await other.say("Start.");
    await other.say(answerTo("q1", " @HINT "));
    expect(JSON.stringify(world.llm.bodies.at(-1))).toBe(JSON.stringify(first));
  });

  it("is in the course's language", async () => {
    const { item } = await topic();
    await world.deps.db.execute(
      sql`update courses set language_code = 'de-AT' where id = (select course_id from content_items where id = ${item.id})`,
    );
    const session = await openSession(world.as(await make.person()), item.id);
    world.llm.script(asks);
    await session.say("Start.");
    for (const move of moveIds) {
      await session.say(move);
      expect(world.llm.requests.at(-1)?.messages.at(-1)?.content).toBe(moveRequest(move, "de"));
    }
  });

  it("to one's own words is answered once for a class, repeats the question and stays on the path", async () => {
    const { learner, nodes, session } = await topic();
    world.llm.script({ chunks: ["Tell me in your words."] });
    const calls = world.llm.calls();
    expect(endOf(await session.say("@my_words"))).toMatchObject({ question, moves: moveIds });
    const other = await learner();
    await other.say("Start.");
    expect(textOf(await other.say(answerTo("q1", "@my_words")))).toBe("Tell me in your words.");
    expect(world.llm.calls() - calls).toBe(1);
    expect((await nodes()).at(-1)).toMatchObject({ message: "@my_words", question });
    for (const one of [session, other]) {
      expect(await one.lastMeta()).toMatchObject({ move: "@my_words" });
      expect((await one.read()).cache_state).toBe("TRACKING");
    }
  });

  it("is offered by answers of the release before, which do not know the newest move", async () => {
    const { session, learner, item } = await topic();
    await world.deps.db.execute(sql`
      update cache_nodes set choices = (
        select jsonb_object_agg(key, value) from jsonb_each_text(choices) where value <> '@my_words')
      where content_item_id = ${item.id}`);
    expect(endOf(await session.say("@my_words"))).toMatchObject({ question });
    const other = await learner();
    await other.say("Start.");
    await other.say(answerTo("q1", " @My_Words "));
    for (const one of [session, other]) expect(await one.lastMeta()).toMatchObject({ move: "@my_words" });
    expect((await session.say("@my_thoughts")).status).toBe(400);
  });

  it("a fourth hint since the first question is an example, and a node as such", async () => {
    const { session, learner, nodes } = await topic();
    for (let hint = 1; hint <= 4; hint += 1) await session.say("@hint");
    await session.say("@hint");
    const messages = (await nodes()).map(({ message }: { message: string }) => message);
    expect(messages).toEqual(["Start.", "@hint", "@hint", "@hint", "@example", "@example"]);
    expect(world.llm.requests.at(-2)?.messages.at(-1)?.content).toBe(moveRequest("@example", "en"));
    expect(await session.lastMeta()).toMatchObject({ move: "@example" });
    const other = await learner();
    await other.say("Start.");
    const calls = world.llm.calls();
    for (const said of ["@hint", "@hint", "@hint", "@example"]) await other.say(said);
    expect(world.llm.calls()).toBe(calls);
  });

  it("that is not offered is rejected, and leaves nothing behind", async () => {
    const { session, learner } = await topic();
    const fresh = await learner();
    const lost = await topic({ chunks: ["Just words."] });
    const state = () =>
      world.deps.db.execute(sql`
        select (select count(*)::int from chat_messages) as messages, (select count(*)::int from activity_events) as events,
               (select json_agg(cache_state order by id) from chat_sessions) as states,
               (select sum(current_streak_days)::int from users) as streaks`);
    const before = (await state()).rows;
    const refused = [
      await fresh.say("@hint", "first"),
      await session.say("@hnt"),
      await session.say(answerTo("q2", "@hint")),
      await session.say(answerTo("q1", "@solution")),
      await lost.session.say("@hint"),
    ];
    for (const { status, body } of refused) expect([status, body.detail]).toEqual([400, "No such move here"]);
    expect((await state()).rows).toEqual(before);
    expect(endOf(await fresh.say("Start.", "first"))).toMatchObject({ moves: moveIds });
  });

  it("is free text if it contains anything else", async () => {
    const { session } = await topic();
    expect((await session.say("@hint, please")).status).toBe(200);
    expect((await session.read()).cache_state).toBe("DIVERGED");
  });

  it("is answered once, also if it is repeated or resumed", async () => {
    const { session } = await topic();
    const { held, release } = hold();
    world.llm.script({ chunks: ["Look left.", held] });
    const calls = world.llm.calls();
    const first = session.say("@hint", "mine");
    await expect.poll(() => world.llm.calls()).toBe(calls + 1);
    const resumed = await openStream(world, session.client, "GET", `/chat/sessions/${session.id}/stream`);
    await resumed.until("Look left.");
    release();
    expect(await resumed.rest()).toContain('"moves":["@hint"');
    const ends = [endOf(await first), endOf(await session.say("@hint", "mine"))];
    for (const end of ends) expect(end).toMatchObject({ question, moves: moveIds });
    expect((await rowsOf(session.id)).filter(({ role }) => role === "user")).toHaveLength(2);
    await world.deps.metrics.report();
    const metrics = await (await world.app.request("/metrics")).text();
    expect(metrics).toMatch(/tutor_moves_total\{move="@hint"\} [1-9]/);
  });

  it("with only a question as answer is returned empty, and can be repeated", async () => {
    const { session, nodes } = await topic();
    world.llm.script({ chunks: [block()] }, { chunks: ["Look left.\n```mcq\n{broken\n```\nGo."] });
    await session.say("@hint");
    expect(await session.lastMeta()).toMatchObject({ stop: "empty" });
    expect(await nodes()).toHaveLength(1);
    const reply = await session.say("@hint");
    expect(textOf(reply)).toBe("Look left.\n\nGo.");
    expect(endOf(reply)).toMatchObject({ question });
    expect(await nodes()).toHaveLength(2);
  });
});

describe("a move in private", () => {
  it("follows the newest answer, carries its question and key, and a fourth hint is an example", async () => {
    const { session } = await topic();
    const own = { ...question, questionId: "q7" };
    world.llm.script({ chunks: [`Privately.\n${block(own)}${fence()}`] });
    expect(endOf(await session.say("Words of my own"))).toMatchObject({ question: own, moves: moveIds });
    for (let hint = 1; hint <= 4; hint += 1) {
      const reply = await session.say("@hint");
      expect(endOf(reply)).toMatchObject({ question: own, moves: moveIds });
    }
    const moves = (await rowsOf(session.id)).filter(({ move }) => move);
    expect(moves).toMatchObject(
      ["@hint", "@hint", "@hint", "@example"].map((move) => ({
        move,
        question: own,
        question_key: { answer: "A" },
      })),
    );
    expect(world.llm.requests.at(-1)?.messages.at(-1)?.content).toBe(moveRequest("@example", "en"));
    expect((await session.read()).messages.at(-1)).toMatchObject({ question: own, moves: moveIds });
    await session.say("More words");
    expect((await session.say("@hint")).body.detail).toBe("No such move here");
  });

  it("is at the last position of the path, and the session stays in the tree", async () => {
    const { session, instructor, path, nodes } = await topic();
    const [root] = await nodes();
    await instructor.delete(`${path}/nodes/${root.id}`);
    const reply = await session.say("@hint");
    expect(endOf(reply)).toMatchObject({ question, moves: moveIds, path: "lost" });
    expect((await session.read()).cache_state).toBe("TRACKING");
    expect(await nodes()).toEqual([]);
  });
});

describe("a question of an answer that was cut off", () => {
  it("offers moves in private, regardless of the path, and its text may be requested again", async () => {
    const { session, nodes } = await topic();
    const other = { ...question, questionId: "q2" };
    const cut = { stop_reason: "max_tokens" };
    world.llm.script(
      { chunks: ["Cut off."], ...cut },
      { chunks: ["Look left."] },
      { chunks: [`Next.\n${block(other)}${fence()}\nAnd`], ...cut },
    );
    expect(endOf(await session.say("@hint"))).toMatchObject({ question, moves: moveIds });
    expect(await nodes()).toHaveLength(1);
    expect(endOf(await session.say("@hint"))).toMatchObject({ question, moves: moveIds });
    expect(await nodes()).toHaveLength(2);
    expect(endOf(await session.say(answerTo("q1", "B")))).toMatchObject({ question: other, moves: moveIds });
    expect(endOf(await session.say("@hint"))).toMatchObject({
      question: other,
      moves: moveIds,
      path: "lost",
    });
    expect(await nodes()).toHaveLength(2);
    expect((await session.read()).cache_state).toBe("TRACKING");
  });
});

describe("staff", () => {
  it("who change the question drop the moves and their subtree, and can undo that", async () => {
    const { session, instructor, path, nodes } = await topic();
    await session.say("@hint");
    await session.say("@example");
    const [root] = await nodes();
    const other = block({ ...question, question: "Another?" });
    await instructor.put(`${path}/nodes/${root.id}`, { answer: other, keep_children: true });
    expect(await nodes()).toHaveLength(1);
    const [change] = (await instructor.get(`${path}/changes`)).body;
    expect(change.removed_count).toBe(2);
    expect((await instructor.post(`${path}/changes/${change.id}/undo`)).status).toBe(204);
    expect(await nodes()).toMatchObject([{ question }, { message: "@hint", question }, { question, key }]);
  });

  it("who correct a key reach the moves below it, or drop them if another option is correct", async () => {
    const { session, instructor, path, nodes } = await topic();
    await session.say("@hint");
    await session.say("@hint");
    const [root] = await nodes();
    const at = `${path}/nodes/${root.id}/key`;
    await instructor.put(at, { answer: "A", skill: "Other" });
    for (const node of await nodes()) expect(node.key).toMatchObject({ answer: "A", skill: "Other" });
    await instructor.put(at, { answer: "B" });
    expect(await nodes()).toHaveLength(1);
    expect((await session.read()).cache_state).toBe("TRACKING");
  });

  it("who pin a hint have another version serve it, with the question and key of that place", async () => {
    const { session, instructor, path, nodes, learner, item } = await topic();
    await session.say("@hint");
    const [, hint] = await nodes();
    await instructor.put(`${path}/nodes/${hint.id}`, { answer: "Look at the sign." });
    await world.deps.db.execute(sql`delete from cache_nodes where content_item_id = ${item.id}`);
    world.llm.script({ chunks: [`Anew.\n${block()}${fence({ ...key, skill: "Anew" })}`] });
    const other = await learner();
    await other.say("Start.");
    const reply = await other.say("@hint");
    expect(textOf(reply)).toBe("Look at the sign.");
    expect(await nodes()).toMatchObject([{}, { question, key: { skill: "Anew" }, is_pinned: true }]);
  });
});

describe("races of moves", () => {
  it("two concurrent requests for the same hint cost one call", async () => {
    const { session, learner } = await topic();
    const other = await learner();
    await other.say("Start.");
    const calls = world.llm.calls();
    const [one, two] = await Promise.all([session.say("@hint"), other.say("@hint")]);
    expect(textOf(one)).toBe(textOf(two));
    expect(world.llm.calls() - calls).toBe(1);
  });

  it.each([
    ["another option", { answer: "B" }, 1],
    ["another skill", { answer: "A", skill: "Corrected" }, 2],
  ])("a pending hint while staff correct the key to %s", async (_, corrected, left) => {
    const { session, instructor, path, nodes } = await topic();
    const [root] = await nodes();
    const { held, release } = hold();
    world.llm.script({ chunks: ["Look ", held, "left."] });
    const calls = world.llm.calls();
    const hinted = session.say("@hint");
    await expect.poll(() => world.llm.calls()).toBe(calls + 1);
    expect((await instructor.put(`${path}/nodes/${root.id}/key`, corrected)).status).toBe(200);
    release();
    expect(endOf(await hinted)).toMatchObject({ done: true });
    const stored = await nodes();
    for (const node of stored) expect(node.key).toMatchObject(corrected);
    expect(stored.length).toBeGreaterThanOrEqual(left);
  });
});
