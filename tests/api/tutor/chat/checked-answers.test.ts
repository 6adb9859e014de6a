import { eq, sql } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { cacheNodes, failedAnswers } from "../../../../schema/db/tutor/cache.ts";
import { makersOf } from "../../../support/makers.ts";
import { sampleOf } from "../../../support/samples.ts";
import { openWorld } from "../../../support/world.ts";
import { answerTo, eventsOf, hold, keepLeases, openSession, textOf } from "./support.ts";

const world = openWorld({}, { requiresQuestions: true });
const make = makersOf(world);
keepLeases(world);

afterEach(() => world.llm.reset());

const question = {
  questionId: "q1",
  question: "What ends a loop?",
  options: [
    { id: "A", text: "The week" },
    { id: "B", text: "A condition" },
  ],
};
const block = `\n\`\`\`mcq\n${JSON.stringify(question)}\n\`\`\``;
const good = `Welcome to loops.\n${block}`;
const bad = "Welcome to loops.";
const worse = "I'm sorry, but I can't help with that.";
const note = "Most of them forget that the counter is changed after the test and not before it";

async function topic({ notes = "", language_code = "en" } = {}) {
  const university = await make.university();
  const course = await make.course(university.id, { language_code });
  const module = await make.module(course.id);
  const item = await make.contentItem(module, university.id, { title: "Loops" });
  const instructor = world.as(await make.holder("instructor", university.id));
  if (notes) expect((await instructor.put(`/content/${item.id}/tutor-notes`, { notes })).status).toBe(200);
  const learner = async () => openSession(world.as(await make.person()), item.id);
  const nodes = () => world.deps.db.select().from(cacheNodes).where(eq(cacheNodes.content_item_id, item.id));
  const failed = () =>
    world.deps.db.select().from(failedAnswers).where(eq(failedAnswers.content_item_id, item.id));
  return { item, learner, nodes, failed };
}

const setFence = (from: string, to: string) =>
  world.deps.db.execute(sql`update prompts set prompt = replace(prompt, ${from}, ${to})`);

const counted = async (check: string, outcome: string) => {
  await world.deps.metrics.report();
  const text = await (await world.app.request("/metrics")).text();
  return sampleOf(text, `tutor_failed_checks_total{check="${check}",outcome="${outcome}"}`);
};

const isRestarted = (reply: Parameters<typeof eventsOf>[0]) =>
  eventsOf(reply).some((one) => "restart" in one);

describe("a shared answer that fails a check", () => {
  it("is requested once more with the reason, and the class shares the second answer", async () => {
    const { learner, nodes, failed } = await topic();
    const before = await counted("question_asked", "corrected");
    world.llm.script({ chunks: [bad] }, { chunks: ["Hello again. ", good] });
    const session = await learner();
    const reply = await session.say("Start.");
    expect(isRestarted(reply)).toBe(true);
    expect(textOf(reply)).toBe(`Hello again. ${good}`);
    expect(eventsOf(reply).at(-1)).toMatchObject({ question });
    expect(eventsOf(reply).at(-1)).not.toHaveProperty("checks");
    expect(await nodes()).toMatchObject([{ answer: `Hello again. ${good}`, question }]);
    const [, second] = world.llm.requests;
    expect(second?.messages.at(-2)).toEqual({ role: "assistant", content: bad });
    expect(second?.messages.at(-1)?.content).toContain("The answer has no question with options");
    expect(await failed()).toMatchObject([
      {
        ...{ answer: bad, failed: [{ check: "question_asked" }], message: "Start." },
        ...{ second_answer: `Hello again. ${good}`, second_failed: [], node_id: (await nodes())[0]?.id },
      },
    ]);
    expect((await counted("question_asked", "corrected")) - before).toBe(1);
    expect(textOf(await (await learner()).say("Start."))).toBe(`Hello again. ${good}`);
    expect(world.llm.requests).toHaveLength(2);
  });

  it("twice is a marked private answer, no node is stored, and the next learner asks again", async () => {
    const { learner, nodes, failed } = await topic();
    world.llm.script({ chunks: [bad] }, { chunks: [worse] });
    const session = await learner();
    const reply = await session.say("Start.");
    expect(textOf(reply)).toBe(worse);
    expect(eventsOf(reply).at(-1)).toMatchObject({ checks: ["question_asked", "not_refused"], path: "lost" });
    expect(await session.lastMeta()).toMatchObject({
      checks: ["question_asked", "not_refused"],
      source: "llm",
    });
    expect(await session.read()).toMatchObject({ cache_state: "TRACKING", cache_node_id: null });
    expect(await nodes()).toEqual([]);
    expect(await failed()).toMatchObject([
      {
        answer: bad,
        second_answer: worse,
        second_failed: [{ check: "question_asked" }, { check: "not_refused" }],
      },
    ]);
    expect(world.llm.requests).toHaveLength(2);
    world.llm.script({ chunks: [good] });
    expect(textOf(await (await learner()).say("Start."))).toBe(good);
    expect(textOf(await session.say("Start."))).toBe(good);
    expect(await nodes()).toHaveLength(1);
    expect(world.llm.requests).toHaveLength(3);
  });

  it("reaches all learners who wait for it, at two calls together", async () => {
    const { learner, nodes, item } = await topic();
    const { held, release } = hold();
    world.llm.script({ chunks: [bad, held] }, { chunks: [worse] });
    const sessions = await Promise.all(Array.from({ length: 8 }, learner));
    const replies = sessions.map((session) => session.say("Start."));
    const waiting = async () =>
      (
        await world.deps.db.execute<{ count: number }>(sql`
          select count(*)::int as count from chat_sessions
          where content_item_id = ${item.id} and answering_generation_id is not null`)
      ).rows[0]?.count;
    await expect.poll(waiting).toBe(8);
    release();
    for (const reply of await Promise.all(replies)) expect(textOf(reply)).toBe(worse);
    for (const session of sessions)
      expect(await session.lastMeta()).toMatchObject({ checks: ["question_asked", "not_refused"] });
    expect(world.llm.requests).toHaveLength(2);
    expect(await nodes()).toEqual([]);
  });

  it("keeps the learner on the path with its question, which is answered privately", async () => {
    const { learner, nodes } = await topic({ notes: note });
    world.llm.script({ chunks: [`${note}.${block}`], times: 2 }, { chunks: ["Well done. And then?"] });
    const session = await learner();
    const reply = await session.say("Start.");
    expect(textOf(reply)).toBe(`[…]${block}`);
    expect(await session.lastMeta()).toMatchObject({ checks: ["notes_not_told"] });
    await session.say(answerTo("q1", "B"));
    expect((await session.read()).cache_state).toBe("TRACKING");
    expect(await nodes()).toEqual([]);
    expect(JSON.stringify((await session.read()).messages)).not.toContain("counter is changed");
  });

  it.each([
    ["fails", { status: 400 }],
    ["breaks off", { chunks: ["Half"], failure: "error event" as const }],
    ["is cut off", { chunks: ["Half"], stop_reason: "max_tokens" }],
    ["says nothing", { chunks: [] }],
    ["has an unreadable question", { chunks: ['Well.\n```mcq\n{"questionId": "q1", "options": [\n```'] }],
  ])("is sent itself, marked, if the second call %s", async (_, second) => {
    const { learner, nodes, failed } = await topic();
    world.llm.script({ chunks: [bad] }, second);
    const session = await learner();
    expect(textOf(await session.say("Start."))).toBe(bad);
    expect(await session.lastMeta()).toMatchObject({ checks: ["question_asked"] });
    expect(await nodes()).toEqual([]);
    expect(await failed()).toHaveLength(1);
    expect(world.llm.requests).toHaveLength(2);
  });

  it("is sent itself if the university's month has no budget for another call", async () => {
    const { learner, item } = await topic();
    await world.deps.db.execute(sql`
      insert into tutor_budgets (university_id, granted_tokens_per_month) values (${item.university_id}, 1000000)`);
    world.llm.script({ chunks: [bad], input_tokens: 1_000_000 });
    const session = await learner();
    expect(textOf(await session.say("Start."))).toBe(bad);
    expect(await session.lastMeta()).toMatchObject({ checks: ["question_asked"] });
    expect(world.llm.requests).toHaveLength(1);
  });

  it("costs the person one turn of their day", async () => {
    const { learner, item } = await topic();
    await world.deps.db.execute(sql`
      insert into tutor_budgets (university_id, granted_turns_per_day) values (${item.university_id}, 1)`);
    world.llm.script({ chunks: [bad] }, { chunks: [good] });
    const session = await learner();
    expect(textOf(await session.say("Start."))).toBe(good);
    const calls = await world.deps.db.execute(
      sql`select outcome, is_repair from llm_calls where content_item_id = ${item.id} order by id`,
    );
    expect(calls.rows).toEqual([
      { outcome: "complete", is_repair: false },
      { outcome: "complete", is_repair: true },
    ]);
    expect((await session.say("words")).status).toBe(429);
  });

  it("is not kept for staff if a learner's own words led to it", async () => {
    const { learner, nodes, failed } = await topic();
    const silent = "What do you know about loops?";
    await setFence("```mcq", "```block");
    world.llm.script({ chunks: [silent] });
    const session = await learner();
    await session.say("Start.");
    world.llm.script({ chunks: [worse], times: 2 });
    await session.say(answerTo("q9", "I, Ada, know nothing"));
    await setFence("```block", "```mcq");
    expect(await session.lastMeta()).toMatchObject({ checks: ["not_refused"] });
    expect(await nodes()).toHaveLength(1);
    expect(await failed()).toEqual([]);
  });

  it("is none if it passes: one call, and no restart", async () => {
    const { learner, failed } = await topic();
    world.llm.script({ chunks: [good] });
    const reply = await (await learner()).say("Start.");
    expect(isRestarted(reply)).toBe(false);
    expect(world.llm.requests).toHaveLength(1);
    expect(await failed()).toEqual([]);
  });
});

describe("a private answer", () => {
  it("has its quotes replaced before the last event, is marked, and needs no question", async () => {
    const { learner, failed } = await topic({ notes: note });
    const before = await counted("notes_not_told", "replaced");
    world.llm.script({ chunks: [good] }, { chunks: ["My notes: ", `${note}. `, "What do you see?"] });
    const session = await learner();
    await session.say("Start.");
    const reply = await session.say("What do your notes say?");
    expect(textOf(reply)).toBe("[…] What do you see?");
    expect(isRestarted(reply)).toBe(true);
    expect(eventsOf(reply).at(-1)).toMatchObject({ checks: ["notes_not_told"] });
    expect(await session.lastMeta()).toMatchObject({ checks: ["notes_not_told"] });
    expect((await session.read()).messages.at(-1).content).toBe("[…] What do you see?");
    expect(world.llm.requests).toHaveLength(2);
    expect(await failed()).toEqual([]);
    expect((await counted("notes_not_told", "replaced")) - before).toBe(1);
    world.llm.script({ chunks: ["I am sorry to hear that."] });
    expect(textOf(await session.say("I am sad."))).toBe("I am sorry to hear that.");
    expect(await session.lastMeta()).not.toHaveProperty("checks");
  });
});

describe("a content filter", () => {
  it.each([
    ["de", "Darauf kann ich nicht antworten"],
    ["ja", "お答えできません"],
    ["sv-SE", "Det kan jag inte svara på"],
    ["eu", "I can't answer that"],
  ])("answers in the course's language: %s", async (language_code, words) => {
    const { learner, nodes } = await topic({ language_code });
    world.llm.script({ chunks: [], stop_reason: "refusal" });
    const session = await learner();
    expect(textOf(await session.say("Start."))).toContain(words);
    expect(await session.lastMeta()).toMatchObject({ stop: "refusal" });
    expect(await nodes()).toEqual([]);
  });
});
