import { sql } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { moveRequest } from "../../../../lib/tutor/dialogue/move-requests.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";
import { answerTo, eventsOf, keepLeases, openSession, textOf } from "./support.ts";

const world = openWorld({ LLM_QUESTION_TOOL: "true" });
const make = makersOf(world);
keepLeases(world);

afterEach(() => world.llm.reset());

const question = {
  questionId: "q1",
  question: "What is $\\frac{1}{2}$?",
  options: ["A", "B"].map((id) => ({ id, text: `Option ${id}` })),
};
const block = `\`\`\`mcq\n${JSON.stringify(question)}\n\`\`\``;
const json = JSON.stringify(question);

const learner = async () => {
  const { item } = await make.topic();
  return { item, session: await openSession(world.as(await make.person()), item.id) };
};

describe("a question asked by the tool", () => {
  it("is sent and stored as a block after the answer's text, and is a call in the history", async () => {
    const { session } = await learner();
    world.llm.script({ chunks: ["Think ", "of it."], call: [json.slice(0, 9), json.slice(9)] });
    const reply = await session.say("Start.");
    expect(textOf(reply)).toBe(`Think of it.\n\n${block}`);
    expect(eventsOf(reply).at(-1)).toMatchObject({ question });
    expect(await session.lastMeta()).not.toHaveProperty("stop");
    expect(world.llm.bodies[0]).toMatchObject({ tools: [{ name: "ask", strict: true }] });
    expect(world.llm.requests[0]?.system).toContain("tool `ask`");
    await session.say(answerTo("q1", "Option B"));
    expect(world.llm.bodies[1]?.messages.slice(1)).toMatchObject([
      {
        role: "assistant",
        content: [
          { type: "text", text: "Think of it." },
          { type: "tool_use", name: "ask", input: question },
        ],
      },
      { role: "user", content: [{ type: "tool_result", content: '{"answer":"B","questionId":"q1"}' }] },
    ]);
    expect(JSON.stringify(world.llm.bodies)).not.toContain("```mcq");
    expect((await session.read()).cache_state).toBe("TRACKING");
  });

  it("keeps its key in the call, and is followed by what the learner wrote instead of a choice", async () => {
    const { session, item } = await learner();
    const key = { answer: "A", misconceptions: [], skill: "Halves" };
    world.llm.script({ chunks: ["Think."], call: [JSON.stringify({ ...question, key })] });
    await session.say("Start.");
    await session.say("@hint");
    const [, asked, moved] = world.llm.bodies.at(-1)?.messages ?? [];
    expect(asked).toMatchObject({ content: [{ text: "Think." }, { input: { ...question, key } }] });
    const result = { type: "tool_result", content: "The learner chose no option." };
    expect(moved).toMatchObject({ content: [result, { text: moveRequest("@hint", "en") }] });
    const client = world.as(await make.person());
    const other = await openSession(client, item.id);
    await other.say("Start.");
    const { id } = (await client.post("/chat/sessions", { content_item_id: item.id, aside_of: other.id }))
      .body;
    await client.post(`/chat/sessions/${id}/messages`, { content: "Why?" });
    expect(world.llm.bodies.at(-1)?.messages.at(-1)).toMatchObject({
      content: [result, { text: expect.stringContaining('The question "q1" of the path, "What is') }],
    });
  });

  it("has only the tool's rules in the seeded prompt, and added rules in a prompt without them", async () => {
    const systemNow = async () => {
      const { session } = await learner();
      await session.say("Start.");
      return world.llm.requests.at(-1)?.system;
    };
    const seeded = await systemNow();
    expect(seeded).toContain("calling the tool `ask`");
    expect(seeded).not.toMatch(/```|mcq|\{\{/);
    const admin = world.as(await make.holder("platform_admin", (await make.university()).id));
    await admin.post("/prompts/", { name: "tutor", prompt: "Be brief.", labels: ["production"] });
    expect(await systemNow()).toMatch(
      /^Be brief\.\n\nAsk a multiple-choice question by calling the tool `ask`/,
    );
  });

  it("without text is an answer, and one that is also written as a block is sent once", async () => {
    const { session } = await learner();
    world.llm.script({ call: [json] }, { chunks: [`Well.\n${block}\n`], call: [json] });
    expect(textOf(await session.say("Start."))).toBe(block);
    expect(textOf(await session.say(answerTo("q1", "A")))).toBe(`Well.\n${block}\n`);
  });

  it("is requested again by the tool if it is unreadable", async () => {
    const { session, item } = await learner();
    world.llm.script({ chunks: ["Well."], call: ['{"questionId": "q1"}'] }, { call: [json] });
    expect(textOf(await session.say("Start."))).toBe(`Well.\n\n${block}`);
    const calls = sql`select outcome, is_repair from llm_calls where content_item_id = ${item.id} order by id`;
    expect((await world.deps.db.execute(calls)).rows).toEqual([
      { outcome: "complete", is_repair: false },
      { outcome: "complete", is_repair: true },
    ]);
  });

  it("is omitted if its call was cut off with the answer", async () => {
    const { session } = await learner();
    world.llm.script({ chunks: ["Well."], call: [json.slice(0, 30)], stop_reason: "max_tokens" });
    expect(textOf(await session.say("Start."))).toBe("Well.");
    expect(await session.lastMeta()).toMatchObject({ stop: "length" });
  });
});
