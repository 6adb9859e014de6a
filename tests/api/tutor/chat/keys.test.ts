import { sql } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";
import { answerTo, keepLeases, openSession, textOf } from "./support.ts";

const world = openWorld();
const make = makersOf(world);
keepLeases(world);

afterEach(() => world.llm.reset());

const secret = "xyzzy";
const question = {
  questionId: "q1",
  question: "Which?",
  options: ["A", "B"].map((id) => ({ id, text: `Option ${id}` })),
};
const mcq = `\`\`\`mcq\n${JSON.stringify(question)}\n\`\`\``;
const key = {
  because: `${secret} solves it`,
  answer: "A",
  misconceptions: [{ id: "B", text: `${secret} is right` }],
  skill: secret,
};
const fence = (value: object = key) => `\n\`\`\`key\n${JSON.stringify(value)}\n\`\`\``;

async function topic() {
  const made = await make.topic();
  const instructor = world.as(await make.holder("instructor", made.university.id));
  const path = `/chat/topics/${made.item.id}/tree`;
  const learner = async () => {
    const client = world.as(await make.person());
    return { client, ...(await openSession(client, made.item.id)) };
  };
  const nodes = async () => (await instructor.get(path)).body.nodes;
  return { ...made, instructor, path, learner, nodes };
}

const chunks = (text: string) => [...text].map((_, at) => text.slice(at, at + 1));

describe("a key", () => {
  it("reaches no learner: streamed, stored, replayed, taken up again, shared, listed or exported", async () => {
    const { learner, item, path } = await topic();
    world.llm.script({ chunks: chunks(`Think.\n${mcq}${fence()}\n`) });
    const [one, other] = [await learner(), await learner()];
    const replies = [
      await one.say("Start.", "first"),
      await other.say("Start."),
      await one.say("Start.", "first"),
    ];
    for (const reply of replies) expect(textOf(reply)).toBe(`Think.\n${mcq}\n\n`);
    world.llm.script({ chunks: [`Privately.\n${mcq}${fence()}`] });
    expect((await one.say("Words of my own")).text).not.toContain(secret);
    const { share_url } = (await one.client.post(`/chat/sessions/${one.id}/share`)).body;
    for (const at of [
      `/chat/sessions/${one.id}`,
      `/chat/sessions/${one.id}/messages`,
      share_url.replace("/api/v1", ""),
      path,
      "/users/me/export",
    ])
      expect((await one.client.get(at)).text).not.toContain(secret);
    const aside = await one.client.post("/chat/sessions", { content_item_id: item.id, aside_of: one.id });
    expect(aside.text).not.toContain(secret);
    expect(JSON.stringify(world.log)).not.toContain(secret);
    expect(JSON.stringify(world.llm.requests[1]?.messages)).toContain(secret);
  });

  it("is stored in the node, where staff read it, and with a message without a node", async () => {
    const { learner, nodes } = await topic();
    world.llm.script(
      { chunks: [`${mcq}${fence()}`] },
      { chunks: [`${mcq}${fence({ answer: "Option B" })}`] },
    );
    const session = await learner();
    await session.say("Start.");
    expect(await nodes()).toMatchObject([{ key }]);
    await session.say("Words of my own");
    const kept = await world.deps.db.execute(
      sql`select question_key from chat_messages where session_id = ${session.id} and role = 'assistant' order by id`,
    );
    const ofOwn = { answer: "B", misconceptions: [], skill: null };
    expect(kept.rows).toEqual([{ question_key: null }, { question_key: ofOwn }]);
    await session.say("More words");
    const { messages } = world.llm.requests.at(-1) ?? { messages: [] };
    expect(messages[1]?.content).toBe(`${mcq}\n\n\n\`\`\`key\n${JSON.stringify(key)}\n\`\`\``);
    expect(messages[3]?.content).toContain(JSON.stringify(ofOwn));
  });

  it("that names no option, or two, is dropped and counted, and its answer is not shared", async () => {
    const { learner, nodes } = await topic();
    world.llm.script({ chunks: [`${mcq}${fence({ answer: "C" })}`], times: 2 });
    const session = await learner();
    await session.say("Start.");
    expect(await session.lastMeta()).toMatchObject({ checks: ["key_valid"] });
    expect(await nodes()).toEqual([]);
    await world.deps.metrics.report();
    const metrics = await (await world.app.request("/metrics")).text();
    expect(metrics).toMatch(/tutor_keys_total\{outcome="dropped"\} [1-9]/);
    expect(metrics).toMatch(/tutor_keys_total\{outcome="kept"\} [1-9]/);
  });

  it("makes the same request for two people, byte for byte", async () => {
    const { learner, university } = await topic();
    world.llm.script({ chunks: [`${mcq}${fence()}`] }, { chunks: ["Well done."], times: 2 });
    const [one, other] = [await learner(), await learner()];
    for (const session of [one, other]) await session.say("Start.");
    await one.say(answerTo("q1", "A"));
    const [, first] = world.llm.bodies;
    await world.deps.db.execute(
      sql`delete from cache_nodes where parent_id is not null and content_item_id in (
        select id from content_items where university_id = ${university.id})`,
    );
    await other.say(JSON.stringify({ answer: "Option A", questionId: "q1", extra: "mine" }));
    expect(JSON.stringify(world.llm.bodies[2])).toBe(JSON.stringify(first));
  });
});

describe("staff who correct a key", () => {
  async function asked() {
    const made = await topic();
    world.llm.script({ chunks: [`${mcq}${fence()}`] });
    const session = await made.learner();
    await session.say("Start.");
    await session.say(answerTo("q1", "A"));
    const [root, child] = await made.nodes();
    return { ...made, session, root, child, at: `${made.path}/nodes/${root.id}/key` };
  }

  it("drop the subtree if another option is correct, and can undo that", async () => {
    const { instructor, at, nodes, root, path, session } = await asked();
    const corrected = await instructor.put(at, { answer: "B", skill: "Signs" });
    expect(corrected.body).toMatchObject({
      id: root.id,
      answer: root.answer,
      edited_by: null,
      version: 2,
      key: { because: null, answer: "B", misconceptions: [], skill: "Signs" },
    });
    expect(await nodes()).toMatchObject([{ id: root.id }]);
    expect((await session.read()).cache_state).toBe("TRACKING");
    const [change] = (await instructor.get(`${path}/changes`)).body;
    expect(change).toMatchObject({ action: "KEYED", removed_count: 1, can_undo: true });
    expect((await instructor.post(`${path}/changes/${change.id}/undo`)).status).toBe(204);
    expect(await nodes()).toMatchObject([{ id: root.id, key }, { parent_id: root.id }]);
  });

  it("keep the subtree if the correct option stays, and the key if only the text is edited", async () => {
    const { instructor, at, nodes, root, path } = await asked();
    const because = "Signs come first";
    await instructor.put(at, { answer: "A", misconceptions: [{ id: "B", text: "Other" }], because });
    expect(await nodes()).toMatchObject([{ key: { because, answer: "A" } }, {}]);
    const present = { because, answer: "A", misconceptions: [{ id: "B", text: "Other" }], skill: "Signs" };
    for (const [given, kept] of [
      [{ skill: "Signs" }, present],
      [{}, present],
      [{ skill: null }, { ...present, skill: null }],
      [{ because: null }, { ...present, skill: null, because: null }],
      [
        { because, misconceptions: [] },
        { ...present, skill: null, misconceptions: [] },
      ],
      [{ misconceptions: present.misconceptions }, { ...present, skill: null }],
    ]) {
      const { body } = await instructor.put(at, { answer: "A", ...given });
      expect([given, body.key]).toEqual([given, kept]);
    }
    const edited = await instructor.put(`${path}/nodes/${root.id}`, { answer: `Other words.\n${mcq}` });
    expect(edited.body).toMatchObject({ key: { answer: "A", misconceptions: [{ id: "B", text: "Other" }] } });
    const other = mcq.replace("Which?", "Which one?");
    const asking = await instructor.put(`${path}/nodes/${root.id}`, { answer: other });
    expect(asking.body).toMatchObject({ key: null });
  });

  it("get an error for an unknown option, an answer without a question, and an outdated version", async () => {
    const { instructor, at, path, child } = await asked();
    const unknown = await instructor.put(at, { answer: "C" });
    expect([unknown.status, unknown.body.detail]).toEqual([400, "The question has no option 'C'"]);
    const silent = await instructor.put(`${path}/nodes/${child.id}/key`, { answer: "A" });
    expect([silent.status, silent.body.detail]).toEqual([400, "This answer has no question"]);
    const late = await instructor.put(at, { answer: "B" }, { headers: { "if-match": '"7"' } });
    expect(late.status).toBe(412);
  });

  it("are in the audit log", async () => {
    const { instructor, at, item } = await asked();
    await instructor.put(at, { answer: "B" });
    const told = await world.deps.db.execute(
      sql`select details from audit_events where action = 'tutor_answer.keyed'
          and (details ->> 'content_item_id')::int = ${item.id}`,
    );
    expect(told.rows).toHaveLength(1);
    expect(JSON.stringify(told.rows)).not.toContain(secret);
  });
});
