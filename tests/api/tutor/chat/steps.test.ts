import { sql } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { eraseConversationsOfErasedAccounts } from "../../../../lib/operations/personal-data/erase-leftovers.ts";
import { atOnce } from "../../../support/at-once.ts";
import type { Client } from "../../../support/client.ts";
import { eraseAccountOf } from "../../../support/erase.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";
import { answerTo, keepLeases, messageIdOf, openSession } from "./support.ts";

const world = openWorld();
const make = makersOf(world);
keepLeases(world);

afterEach(() => world.llm.reset());

type Asked = { id?: string; text?: string; right?: string; misconception?: string };

const questionOf = ({ id = "q1", text = "Which?" }: Asked = {}) => ({
  questionId: id,
  question: text,
  options: ["A", "B", "C"].map((option) => ({ id: option, text: `Option ${option}` })),
});

const asks = (asked: Asked = {}) => ({
  chunks: [
    `Think.\n\`\`\`mcq\n${JSON.stringify(questionOf(asked))}\n\`\`\`\n\`\`\`key\n${JSON.stringify({
      answer: asked.right ?? "A",
      misconceptions: [{ id: "B", text: asked.misconception ?? "Adds before it multiplies" }],
      skill: "Order",
    })}\n\`\`\``,
  ],
});

const says = (text: string, times = 1) => ({ chunks: [text], times });

async function topic() {
  const made = await make.topic();
  const instructor = world.as(await make.holder("instructor", made.university.id));
  const learner = async () => {
    const person = await make.person();
    const client = world.as(person);
    return { person, client, ...(await openSession(client, made.item.id)) };
  };
  const progressOf = async (client: Client, query = "") =>
    (await client.get(`/content/${made.item.id}/tutor-progress${query}`)).body;
  const tree = `/chat/topics/${made.item.id}/tree`;
  const nodes = async () => (await instructor.get(tree)).body.nodes;
  return { ...made, instructor, learner, progressOf, tree, nodes };
}

const stepsOf = async (item: number) =>
  (
    await world.deps.db.execute(
      sql`select choice, try_number, hints, course_offering_id from tutor_steps where content_item_id = ${item} order by id`,
    )
  ).rows;

describe("an answer to a question with a key", () => {
  it("is a step, which the learner's progress shows", async () => {
    const { item, learner, progressOf } = await topic();
    world.llm.script(asks(), asks({ text: "And now?" }), says("Fine."));
    const one = await learner();
    expect(await progressOf(one.client)).toEqual({
      ...{
        content_item_id: item.id,
        user_id: one.person.id,
        questions: 0,
        right_at_first_try: 0,
        answers: 0,
      },
      ...{ in_a_row: 0, known: false, estimate: null, observations: 0 },
    });
    await one.say("Start.");
    await one.say(answerTo("q1", "A"));
    await one.say(answerTo("q1", "Option B"));
    expect(await stepsOf(item.id)).toMatchObject([
      { choice: "A", try_number: 1, hints: 0, course_offering_id: null },
      { choice: "B", try_number: 1, hints: 0 },
    ]);
    const progress = await progressOf(one.client);
    expect(progress).toMatchObject({ questions: 2, right_at_first_try: 1, answers: 2, in_a_row: 0 });
    expect(progress.observations).toBe(2);
    expect(progress.estimate).toBeGreaterThan(0);
    expect(progress.estimate).toBeLessThan(1);
  });

  it("is one in private too, in every spelling, and after other messages", async () => {
    const { item, learner, progressOf } = await topic();
    world.llm.script(says("Hello."), asks(), says("Because.", 2));
    const one = await learner();
    await one.say("Start.");
    await one.say("Ask me something");
    await one.say("Why is that?");
    await one.say(answerTo("q1", " option a"));
    expect(await stepsOf(item.id)).toMatchObject([{ choice: "A", try_number: 1 }]);
    expect(await progressOf(one.client)).toMatchObject({ questions: 1, right_at_first_try: 1 });
  });

  it("is a further try if the same text and options were answered before, in any conversation", async () => {
    const { item, learner, progressOf } = await topic();
    world.llm.script(asks(), asks({ id: "again" }), says("Yes."));
    const one = await learner();
    await one.say("Start.");
    await one.say(answerTo("q1", "B"));
    await one.say(answerTo("again", "A"));
    const later = await openSession(one.client, item.id);
    await later.say("Start.");
    await later.say(answerTo("q1", "B"));
    expect(await stepsOf(item.id)).toMatchObject([
      { choice: "B", try_number: 1 },
      { choice: "A", try_number: 2 },
      { choice: "B", try_number: 3 },
    ]);
    expect(await progressOf(one.client)).toMatchObject({ questions: 1, right_at_first_try: 0, answers: 3 });
  });

  it("is not repeated if it is sent twice, with the client's id or without", async () => {
    const { item, learner, progressOf } = await topic();
    world.llm.script(asks(), says("Yes."));
    const one = await learner();
    await one.say("Start.");
    await one.say(answerTo("q1", "A"), "mine");
    const estimate = (await progressOf(one.client)).estimate;
    await one.say(answerTo("q1", "A"), "mine");
    await one.say(answerTo("q1", "A"));
    await Promise.all([one.say(answerTo("q1", "A")), one.say(answerTo("q1", "A"))]);
    expect(await stepsOf(item.id)).toHaveLength(1);
    expect((await progressOf(one.client)).estimate).toBe(estimate);
  });

  it("in two concurrent conversations is a first and a second try", async () => {
    const { item, learner } = await topic();
    world.llm.script(asks(), says("Yes.", 4));
    const one = await learner();
    const sessions = [one, await openSession(one.client, item.id), await openSession(one.client, item.id)];
    for (const session of sessions) await session.say("Start.");
    await Promise.all(sessions.map((session) => session.say(answerTo("q1", "A"))));
    expect((await stepsOf(item.id)).map((step) => step["try_number"]).sort()).toEqual([1, 2, 3]);
  });

  it("in an aside without a question counts for the question on the path", async () => {
    const { item, learner } = await topic();
    world.llm.script(asks(), says("Yes."));
    const one = await learner();
    await one.say("Start.");
    const { id } = (await one.client.post("/chat/sessions", { content_item_id: item.id, aside_of: one.id }))
      .body;
    await one.client.post(`/chat/sessions/${id}/messages`, { content: answerTo("q1", "A") });
    expect(await stepsOf(item.id)).toMatchObject([{ choice: "A", try_number: 1 }]);
  });

  it("is none without a keyed question, or for another text than an option", async () => {
    const { item, learner } = await topic();
    world.llm.script(asks({ right: "Z" }), says("Hm.", 3));
    const one = await learner();
    await one.say(answerTo("q1", "A"));
    await one.say("Start.");
    await one.say(answerTo("q1", "A"));
    await one.say(answerTo("q2", "Z"));
    expect(await stepsOf(item.id)).toEqual([]);
  });

  it("after help is no right first try", async () => {
    const { item, learner, progressOf } = await topic();
    world.llm.script(asks(), says("Look closer."), says("Say it simply."), says("Yes."));
    const one = await learner();
    await one.say("Start.");
    await one.say("@hint");
    await one.say("@simpler");
    expect(await stepsOf(item.id)).toEqual([]);
    await one.say(answerTo("q1", "A"));
    expect(await stepsOf(item.id)).toMatchObject([{ choice: "A", try_number: 1, hints: 2 }]);
    expect(await progressOf(one.client)).toMatchObject({ questions: 1, right_at_first_try: 0, in_a_row: 0 });
  });

  it("makes something known after three in a row, and is in no other progress", async () => {
    const { item, learner, progressOf } = await topic();
    world.llm.script(...["1", "2", "3"].map((text) => asks({ id: text, text })), says("Well done."));
    const one = await learner();
    await one.say("Start.");
    for (const id of ["1", "2"]) await one.say(answerTo(id, "A"));
    expect(await progressOf(one.client)).toMatchObject({ in_a_row: 2, known: false });
    await one.say(answerTo("3", "A"));
    expect(await progressOf(one.client)).toMatchObject({ in_a_row: 3, known: true, right_at_first_try: 3 });
    const others = await world.deps.db.execute(sql`
      select (select count(*) from user_content_progress where content_item_id = ${item.id})
           + (select count(*) from item_grades where content_item_id = ${item.id})
           + (select count(*) from certificates where user_id = ${one.person.id}) as rows`);
    expect(Number(others.rows[0]?.["rows"])).toBe(0);
  });
});

describe("another person's progress", () => {
  it("is for staff of the course, and audited", async () => {
    const { item, instructor, learner, progressOf, university } = await topic();
    world.llm.script(asks(), says("Yes."));
    const [one, other] = [await learner(), await learner()];
    await one.say("Start.");
    await one.say(answerTo("q1", "A"));
    const query = `?user_id=${one.person.id}`;
    expect(await progressOf(instructor, query)).toEqual(await progressOf(one.client));
    expect(await progressOf(one.client, query)).toEqual(await progressOf(one.client));
    const path = `/content/${item.id}/tutor-progress`;
    expect((await other.client.get(path + query)).status).toBe(403);
    const stranger = world.as(await make.holder("instructor", (await make.topic()).university.id));
    expect((await stranger.get(path + query)).status).toBe(403);
    expect((await instructor.get(`${path}?user_id=${other.person.id}`)).status).toBe(404);
    expect((await instructor.get(`/content/999999/tutor-progress${query}`)).status).toBe(404);
    expect((await instructor.get(`${path}?user_id=x`)).status).toBe(422);
    const told = await world.deps.db.execute(sql`
      select subject_id, details from audit_events where action = 'tutor_progress.read' and university_id = ${university.id}`);
    expect(told.rows).toEqual([{ subject_id: one.person.id, details: { content_item_id: item.id } }]);
  });
});

describe("staff who correct a key", () => {
  it("evaluate earlier answers again, and once more after an undo", async () => {
    const { instructor, learner, progressOf, tree, nodes } = await topic();
    world.llm.script(asks({ right: "B" }), says("No."));
    const one = await learner();
    await one.say("Start.");
    await one.say(answerTo("q1", "A"));
    expect(await progressOf(one.client)).toMatchObject({ right_at_first_try: 0 });
    const [root] = await nodes();
    await instructor.put(`${tree}/nodes/${root.id}/key`, { answer: "A" });
    expect(await progressOf(one.client)).toMatchObject({ questions: 1, right_at_first_try: 1 });
    const [change] = (await instructor.get(`${tree}/changes`)).body;
    expect((await instructor.post(`${tree}/changes/${change.id}/undo`)).status).toBe(204);
    expect(await progressOf(one.client)).toMatchObject({ questions: 1, right_at_first_try: 0 });
  });

  it("evaluate no concurrent answer by the wrong key, nor answers to the repeated question below", async () => {
    const { instructor, learner, progressOf, tree, nodes } = await topic();
    world.llm.script(asks({ right: "B" }), asks({ right: "B" }), says("No.", 9));
    const people = await Promise.all(Array.from({ length: 4 }, () => learner()));
    for (const one of people) await one.say("Start.");
    const [root] = await nodes();
    const [first, ...others] = people;
    await first?.say(answerTo("q1", "A"));
    await first?.say(answerTo("q1", "C"));
    await Promise.all([
      ...others.map((one) => one.say(answerTo("q1", "A"))),
      instructor.put(`${tree}/nodes/${root.id}/key`, { answer: "A" }),
    ]);
    for (const one of people)
      expect(await progressOf(one.client)).toMatchObject({ questions: 1, right_at_first_try: 1 });
    const wrong = await world.deps.db.execute(sql`
      select from tutor_questions where node_id = ${root.id} and question_key ->> 'answer' <> 'A'`);
    expect(wrong.rowCount).toBe(0);
  });
});

describe("misconceptions", () => {
  async function answered(choices: string[]) {
    const made = await topic();
    world.llm.script(asks(), says("Hm.", 3));
    const people = [];
    for (const choice of choices) {
      const one = await made.learner();
      await one.say("Start.");
      await one.say(answerTo("q1", choice));
      people.push(one);
    }
    const path = `/chat/topics/${made.item.id}/misconceptions`;
    const listed = async () => (await made.instructor.get(path)).body;
    return { ...made, people, path, listed };
  }

  it("are reported for five people or more, with the key's text for each error", async () => {
    const { listed, instructor, path, people, learner } = await answered([..."AAABBBBBC"]);
    const [only, ...more] = await listed();
    expect(more).toEqual([]);
    expect(only).toMatchObject({
      question: questionOf(),
      answer: "A",
      skill: "Order",
      people: 9,
      errors: [],
    });
    expect(only.first_try.share).toBeCloseTo(3 / 9, 10);
    expect(only.first_try.low).toBeLessThan(3 / 9);
    // With one more C, the count of C can no longer be inferred.
    for (const choice of "CCCC") {
      const one = await learner();
      await one.say("Start.");
      await one.say(answerTo("q1", choice));
    }
    const misconception = "Adds before it multiplies";
    expect((await listed())[0].errors).toMatchObject([
      { id: "B", text: "Option B", misconception, people: 5 },
      { id: "C", text: "Option C", misconception: null, people: 5 },
    ]);
    expect((await people[0]?.client.get(path))?.status).toBe(404);
    expect((await instructor.get(`${path}?limit=1&skip=1`)).body).toEqual([]);
    expect((await instructor.get("/chat/topics/999999/misconceptions")).status).toBe(404);
  });

  it("are not reported if four people have answered", async () => {
    const { listed } = await answered([..."BBBB"]);
    expect(await listed()).toEqual([]);
  });

  it("stay after their learners erase their accounts, without their steps", async () => {
    const { listed, people, item } = await answered([..."AABBBBB"]);
    const before = await listed();
    expect(before).toMatchObject([{ people: 7 }]);
    const [leaving, staying] = [people.slice(0, 4), people.slice(4)];
    for (const { person } of leaving) expect(await eraseAccountOf(world, person)).toBe(204);
    await eraseConversationsOfErasedAccounts(world.deps, new AbortController().signal);
    expect(await stepsOf(item.id)).toHaveLength(staying.length);
    expect(await listed()).toEqual(before);
  });
});

describe("the erasure of an account", () => {
  it.each([0, 1, 2, 3])("during an answer leaves no step of the person (%i)", async (round) => {
    const { item, learner } = await topic();
    world.llm.script(asks(), says("Yes."));
    const one = await learner();
    await one.say("Start.");
    const [erased, said] = await atOnce(
      round,
      () => eraseAccountOf(world, one.person),
      () => one.say(answerTo("q1", "A")),
    );
    expect(erased).toBe(204);
    expect([200, 401, 403]).toContain(said.status);
    await eraseConversationsOfErasedAccounts(world.deps, new AbortController().signal);
    expect(await stepsOf(item.id)).toEqual([]);
  });

  it("follows an export with the person's steps, without keys", async () => {
    const { learner } = await topic();
    const secret = "xyzzy";
    world.llm.script(asks({ misconception: secret }), says("No."));
    const one = await learner();
    await one.say("Start.");
    await one.say(answerTo("q1", "B"));
    const { body, text } = await one.client.get("/users/me/export");
    expect(body.tutor_steps).toMatchObject([
      { choice: "B", try_number: 1, hints: 0, is_right: false, question: questionOf() },
    ]);
    expect(text).not.toContain(secret);
  });
});

describe("a flashcard of a question", () => {
  it("is created once from an answered question, with the correct option on its back", async () => {
    const { learner } = await topic();
    world.llm.script(asks(), says("No."));
    const [one, other] = [await learner(), await learner()];
    const message_id = messageIdOf(await one.say("Start."));
    const path = "/study/flashcards/from-question";
    const early = await one.client.post(path, { message_id });
    expect([early.status, early.text.includes("Option A")]).toEqual([400, false]);
    await one.say(answerTo("q1", "B"));
    const made = await Promise.all([1, 2].map(() => one.client.post(path, { message_id })));
    expect(made.map(({ status }) => status).sort()).toEqual([200, 201]);
    expect(made[0]?.body).toEqual(made[1]?.body);
    expect(made[0]?.body).toMatchObject({
      front: "Which?\n- A) Option A\n- B) Option B\n- C) Option C",
      back: "- A) Option A",
      message_id,
    });
    expect(made[0]?.text).not.toContain("multiplies");
    expect((await other.client.post(path, { message_id })).status).toBe(400);
    expect((await one.client.post(path, { message_id: 999_999 })).status).toBe(400);
    expect((await one.client.post(path, { message_id, deck_id: 999_999 })).status).toBe(200);
  });
});
