import { eq, inArray, isNull, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { chatSessions } from "../../../../schema/db/tutor/chat.ts";
import type { Client } from "../../../support/client.ts";
import { makersOf } from "../../../support/makers.ts";
import { isExhaustive } from "../../../support/representatives.ts";
import { openWorld } from "../../../support/world.ts";
import { answerTo, hold, openSession } from "./support.ts";

const world = openWorld();
const make = makersOf(world);

const asks = (said: string, questionId = "q1") => ({
  chunks: [
    `${said}\n\`\`\`mcq\n${JSON.stringify({
      ...{ questionId, question: "Which?" },
      options: ["A", "B"].map((id) => ({ id, text: `Option ${id}` })),
    })}\n\`\`\``,
  ],
});

const begin = (client: Client, content_item_id: number, aside_of: number) =>
  client.post("/chat/sessions", { content_item_id, aside_of });

/** A learner one step into a topic, and the body that creates their asides. */
async function onPath() {
  const { item, course } = await make.topic();
  const person = await make.person();
  const client = world.as(person);
  const first = await openSession(client, item.id);
  world.llm.script(asks("Welcome"), asks("Right", "q2"));
  await first.say("Start.");
  await first.say(answerTo("q1", "B"));
  const aside = async () => {
    const made = await begin(client, item.id, first.id);
    expect(made.status).toBe(201);
    const id: number = made.body.id;
    const say = (content: string, client_message_id?: string) =>
      client.post(`/chat/sessions/${id}/messages`, { content, client_message_id });
    return { id, say, body: made.body, read: async () => (await client.get(`/chat/sessions/${id}`)).body };
  };
  return { item, course, person, client, first, aside };
}

const lastCall = () => world.llm.requests.at(-1);

describe("an aside", () => {
  it("begins without a call, and gives the LLM the path so far with its first message", async () => {
    const { first, aside } = await onPath();
    const calls = world.llm.calls();
    const { id, body, say, read } = await aside();
    expect(id).toBeGreaterThan(first.id);
    expect(body).toMatchObject({
      aside_of: first.id,
      closed_at: null,
      cache_state: "TRACKING",
      cache_node_id: null,
    });
    expect((await read()).messages).toEqual([]);
    expect(world.llm.calls()).toBe(calls);

    expect((await say("Why is it B?")).status).toBe(200);
    expect(world.llm.calls()).toBe(calls + 1);
    const told = (lastCall()?.messages ?? []).map(({ role, content }) => [
      role,
      String(content).split("\n")[0],
    ]);
    expect(told).toEqual([
      ["user", "Start."],
      ["assistant", "Welcome"],
      ["user", answerTo("q1", "B")],
      ["assistant", "Right"],
      ["user", "Why is it B?"],
    ]);
  });

  it("is called one in each of its requests, with the open question, and in no other request", async () => {
    const { first, aside, item, client } = await onPath();
    const { say } = await aside();
    const said = () => String(lastCall()?.messages.at(-1)?.content);
    for (const words of ["Why is it B?", "Really?", answerTo("q2", "A")]) {
      await say(words);
      expect(said()).toMatch(/^\S.*\n\n--- This is an aside: /);
      expect(said()).toContain(
        'The question "q2" of the path, "Which?", stays open: nothing of it is settled',
      );
      expect(said()).toContain("Ask no second question");
      const asked = lastCall()?.messages.filter(({ role }) => role === "user") ?? [];
      expect(JSON.stringify(asked.slice(0, -1))).not.toContain("This is an aside");
    }
    await first.say(answerTo("q2", "B"));
    expect(said()).toBe('{"answer":"B","questionId":"q2"}');
    // The answer before this aside asks nothing.
    const later = await aside();
    await later.say("And now?");
    expect(said()).toContain("This is an aside");
    expect(said()).not.toContain("stays open");
    const alone = await openSession(client, item.id);
    await alone.say("Words without an aside");
    expect(said()).toBe("Words without an aside");
  });

  it("names the question that a move left open, not a question of its own", async () => {
    const { first, aside } = await onPath();
    world.llm.script(
      {
        chunks: [
          `${asks("Next", "q3").chunks[0]}\n\`\`\`key\n{"answer":"A","misconceptions":[],"skill":"S"}\n\`\`\``,
        ],
      },
      { chunks: ["Look closer."] },
      asks("Wrongly", "q9"),
    );
    await first.say(answerTo("q2", "A"));
    await first.say("@hint");
    const { say } = await aside();
    await say("Why?");
    await say("Why again?");
    const note = String(lastCall()?.messages.at(-1)?.content);
    expect(note).toContain('The question "q3" of the path');
    expect(note).not.toContain("q9");
  });

  it("leaves the first session on its path, and neither shows the other's messages", async () => {
    const { first, aside } = await onPath();
    const before = await first.read();
    const { say, read } = await aside();
    await say("Why is it B?");
    expect(await read()).toMatchObject({
      cache_state: "DIVERGED",
      messages: [{ content: "Why is it B?" }, { role: "assistant" }],
    });
    expect(await first.read()).toEqual({ ...before, cache_state: "TRACKING" });
    // The next message includes the aside's history; the path is unchanged.
    await say("And why not A?");
    expect(lastCall()?.messages).toHaveLength(7);
    world.llm.script(asks("Further", "q3"));
    await first.say(answerTo("q2", "A"));
    expect((await first.read()).cache_state).toBe("TRACKING");
    expect(lastCall()?.messages).toHaveLength(5);
    await say("What came before?");
    expect(lastCall()?.messages).toHaveLength(9);
    expect(JSON.stringify(lastCall()?.messages)).not.toContain("Further");
  });

  it("begins with the path since the last greeting, and without messages if there are none", async () => {
    const { first, aside, client, item } = await onPath();
    await first.say("Start.");
    const { say } = await aside();
    await say("What is this about?");
    expect(lastCall()?.messages).toHaveLength(3);
    const empty = await openSession(client, item.id);
    const made = await begin(client, item.id, empty.id);
    await client.post(`/chat/sessions/${made.body.id}/messages`, { content: "Hello?" });
    expect(lastCall()?.messages).toHaveLength(1);
  });

  it("closes the one before, which is read, ends its answer, and takes no new words", async () => {
    const { client, aside } = await onPath();
    const earlier = await aside();
    const { held, release } = hold();
    world.llm.script({ chunks: ["I ", held, "see."] });
    const answer = earlier.say("Why?", "mine");
    await expect.poll(async () => (await earlier.read()).answering).not.toBeNull();
    const later = await aside();
    release();
    expect((await answer).status).toBe(200);
    const refused = await earlier.say("And?");
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      "This aside is closed because a newer one was started",
    ]);
    expect(refused.headers.get("retry-after")).toBeNull();
    expect((await client.post(`/chat/sessions/${earlier.id}/greeting`)).status).toBe(409);
    // A message repeated from before the aside closed gets its earlier answer.
    expect((await earlier.say("Why?", "mine")).status).toBe(200);
    expect(await earlier.read()).toMatchObject({ closed_at: expect.stringMatching(/Z$/), answering: null });
    expect((await earlier.read()).messages).toHaveLength(2);
    expect((await later.say("And?")).status).toBe(200);
    // Deleting the later aside does not reopen the earlier one.
    await client.delete(`/chat/sessions/${later.id}`);
    expect((await earlier.say("And?")).status).toBe(409);
  });

  it("is deleted with its conversation, and not the other way round", async () => {
    const { client, first, aside } = await onPath();
    const [one, other] = [await aside(), await aside()];
    expect((await client.delete(`/chat/sessions/${other.id}`)).status).toBe(204);
    expect((await client.get(`/chat/sessions/${first.id}`)).status).toBe(200);
    expect((await client.delete(`/chat/sessions/${first.id}`)).status).toBe(204);
    expect((await client.get(`/chat/sessions/${one.id}`)).status).toBe(404);
  });

  it("is rejected for another person's conversation, a missing one, another item's and an aside", async () => {
    const { client, item, first, aside } = await onPath();
    const other = world.as(await make.person());
    const { id } = await aside();
    const elsewhere = (await make.topic()).item.id;
    const refusals = [
      [await begin(client, item.id, 2_000_000_000), 404, "Chat session not found"],
      [await begin(client, 2_000_000_000, first.id), 404, "Content item not found"],
      [await begin(other, item.id, first.id), 403, "Not your chat session"],
      [await begin(client, elsewhere, first.id), 400, "An aside must be about the item of its conversation"],
      [await begin(client, item.id, id), 400, "An aside cannot have asides"],
    ] as const;
    for (const [reply, status, detail] of refusals)
      expect([reply.status, reply.body.detail]).toEqual([status, detail]);
    expect((await client.post("/chat/sessions", { content_item_id: item.id, aside_of: "x" })).status).toBe(
      422,
    );
    expect((await client.get(`/chat/sessions/${id}`)).body.closed_at).toBeNull();
  });

  it("has one open instance per conversation, also for concurrent starts and a concurrent deletion", async () => {
    const { client, item, first } = await onPath();
    for (let round = 0; round < 3; round += 1) {
      const begun = await Promise.all(Array.from({ length: 6 }, () => begin(client, item.id, first.id)));
      expect(begun.map(({ status }) => status)).toEqual(Array(6).fill(201));
      const open = await world.deps.db
        .select({ id: chatSessions.id })
        .from(chatSessions)
        .where(sql`${eq(chatSessions.aside_of_id, first.id)} and ${isNull(chatSessions.closed_at)}`);
      expect(open).toHaveLength(1);
    }
    const raced = await Promise.all([
      begin(client, item.id, first.id),
      client.delete(`/chat/sessions/${first.id}`),
      begin(client, item.id, first.id),
    ]);
    for (const { status } of raced) expect([201, 204, 404]).toContain(status);
    const left = await world.deps.db
      .select()
      .from(chatSessions)
      .where(eq(chatSessions.aside_of_id, first.id));
    expect(left).toEqual([]);
  });

  it("counts as no conversation that left its path, in no report", async () => {
    const { item, course, aside } = await onPath();
    const teacher = world.as(await make.holder("instructor", course.university_id));
    const admin = world.as(await make.holder("platform_admin", course.university_id));
    const reported = async () => [
      (await teacher.get(`/chat/topics/${item.id}/tree`)).body,
      (await admin.get("/admin/analytics/cache")).body.session_divergence_rate,
    ];
    const [tree, rate] = await reported();
    const { say } = await aside();
    await say("Why?");
    const [treeAfter, rateAfter] = await reported();
    expect(rateAfter).toBe(rate);
    expect(treeAfter).toEqual(tree);
  });

  it("its words count as the person's: exported with it, and against their budget", async () => {
    const { client, first, aside } = await onPath();
    const { id, say } = await aside();
    await say("Why?");
    const exported = JSON.parse((await client.get("/users/me/export")).text);
    expect(exported.chat_sessions.find((one: { id: number }) => one.id === id)).toMatchObject({
      aside_of_id: first.id,
    });
    const own = exported.chat_messages.filter(({ session_id }: { session_id: number }) => session_id === id);
    expect(own).toHaveLength(2);
    const calls = exported.llm_calls.length;
    await say("And?");
    expect(JSON.parse((await client.get("/users/me/export")).text).llm_calls).toHaveLength(calls + 1);
  });
});

describe("conversations", () => {
  it("are listed by their item, with their names", async () => {
    const { client, item, first, aside } = await onPath();
    const { id } = await aside();
    const elsewhere = await openSession(client, (await make.topic()).item.id);
    const listed = async (query: string) =>
      (await client.get(`/chat/sessions${query}`)).body.map((line: { id: number }) => line.id);
    expect(await listed("")).toEqual([elsewhere.id, id, first.id]);
    expect(await listed(`?content_item_id=${item.id}`)).toEqual([id, first.id]);
    expect(await listed(`?content_item_id=${item.id}&limit=1`)).toEqual([id]);
    expect((await client.get("/chat/sessions?content_item_id=x")).status).toBe(422);
  });

  it("are named by their owner alone, and lose their name with null", async () => {
    const { client, first } = await onPath();
    const path = `/chat/sessions/${first.id}`;
    const named = await client.patch(path, { title: "  Carrying  " });
    expect(named).toMatchObject({ status: 200, body: { id: first.id, title: "Carrying", not_read: [] } });
    expect((await client.patch(path, {})).body).toEqual(named.body);
    expect((await client.get(path)).body.title).toBe("Carrying");
    expect((await client.get("/chat/sessions")).body[0].title).toBe("Carrying");
    expect((await client.patch(path, { title: null })).body.title).toBeNull();
    for (const title of [" ", "x".repeat(256), 5])
      expect((await client.patch(path, { title })).status).toBe(422);
    const other = world.as(await make.person());
    expect(await other.patch(path, { title: "Mine" })).toMatchObject({
      status: 403,
      body: { detail: "Not your chat session" },
    });
    expect((await other.patch("/chat/sessions/2000000000", { title: "Mine" })).status).toBe(404);
  });
});

it("learners who type three messages in ten cost a call per path and per typed message, and stay on their path", async () => {
  const { item } = await make.topic();
  world.llm.improvise(({ messages }) => {
    const choices = messages.filter(({ role, content }) => role === "user" && content.startsWith("{"));
    const key = '\n```key\n{"answer":"A","misconceptions":[],"skill":"S"}\n```';
    return { chunks: [...asks("Well.", `q${choices.length + 1}`).chunks, key] };
  });
  const before = world.llm.calls();
  const paths = new Set<string>();
  const [learners, steps] = [isExhaustive() ? 200 : 20, 3];
  let typed = 0;
  const walk = async (learner: number) => {
    const client = world.as(await make.person());
    const first = await openSession(client, item.id);
    let aside: { id: number; at: number } | undefined;
    let path = "";
    const onPath = async (said: string) => {
      path += said;
      paths.add(path);
      expect((await first.say(said)).status).toBe(200);
    };
    for (let step = 0; step <= steps; step += 1) {
      await onPath(step === 0 ? "Start." : answerTo(`q${step}`, "AB"[(learner >> (step - 1)) & 1] ?? "A"));
      if (learner % 3 === step) await onPath("@my_words");
      if ((learner * 41 + step * 17) % 100 >= 54) continue;
      typed += 1;
      if (aside?.at !== step) aside = { id: (await begin(client, item.id, first.id)).body.id, at: step };
      const words = { content: `Why, asks learner ${learner} at ${step}?` };
      expect((await client.post(`/chat/sessions/${aside.id}/messages`, words)).status).toBe(200);
    }
    return first.id;
  };
  const firsts: number[] = [];
  // As many as a small class at once: the pool has few connections.
  for (let next = 0; next < learners; next += 20)
    firsts.push(...(await Promise.all(Array.from({ length: 20 }, (_, one) => walk(next + one)))));
  const clicked = await world.deps.db.execute(sql`
    select from chat_messages where role = 'user' and session_id in ${firsts}`);
  expect(typed / (typed + clicked.rows.length)).toBeCloseTo(0.3, 1);
  expect(world.llm.calls() - before).toBe(paths.size + typed);
  const states = await world.deps.db
    .select({ state: chatSessions.cache_state })
    .from(chatSessions)
    .where(inArray(chatSessions.id, firsts));
  expect(new Set(states.map(({ state }) => state))).toEqual(new Set(["TRACKING"]));
});
