import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";
import { openSession } from "./support.ts";

const world = openWorld();
const make = makersOf(world);

const notYours = { status: 403, body: { detail: "Not your chat session" } };

describe("POST /chat/sessions", () => {
  it("begins before the root, with a snapshot of the item", async () => {
    const { item, course, module, university } = await make.topic();
    const person = await make.person();
    const reply = await world.as(person).post("/chat/sessions", { content_item_id: item.id });
    expect(reply.status).toBe(201);
    expect(reply.body).toMatchObject({
      user_id: person.id,
      content_item_id: item.id,
      share_enabled: false,
      share_token: null,
      cache_node_id: null,
      cache_state: "TRACKING",
      content_context: {
        content_item_id: item.id,
        module_id: module.id,
        course_id: course.id,
        university_id: university.id,
        title: item.title,
        description: null,
        content_type: "text",
        data_json: {},
        module_title: module.title,
        course_title: course.title,
        course_code: course.code,
        language: "en",
      },
    });
  });

  it("shows a student's view of a lab, also to staff: no hidden tests", async () => {
    const { module, university } = await make.topic();
    const data_json = {
      files: [
        { path: "main.py", role: "student_visible" },
        { path: "test.py", role: "hidden_test" },
      ],
    };
    const lab = await make.contentItem(module, university.id, { type: "engineering_lab", data_json });
    const teacher = await make.holder("instructor", university.id);
    const reply = await world.as(teacher).post("/chat/sessions", { content_item_id: lab.id });
    expect(JSON.stringify(reply.body)).not.toContain("test.py");
    expect(JSON.stringify(reply.body)).toContain("main.py");
  });

  it("an unknown, inactive or hidden item is a 404", async () => {
    const { module, university, course } = await make.topic();
    const client = world.as(await make.person());
    const inactive = await make.contentItem(module, university.id, { is_active: false });
    const hidden = await make.module(course.id, { is_published: false });
    const child = await make.module(course.id, { parent_module_id: hidden.id, depth: 1 });
    const inHidden = await make.contentItem(child, university.id);
    const unpublished = await make.topic({ is_published: false });
    for (const id of [2_000_000_000, inactive.id, inHidden.id, unpublished.item.id]) {
      const reply = await client.post("/chat/sessions", { content_item_id: id });
      expect(reply).toMatchObject({ status: 404, body: { detail: "Content item not found" } });
    }
  });
});

it("a message of JSON that nests too deep is a 422, and one that only looks so is a message", async () => {
  const { item } = await make.topic();
  const client = world.as(await make.person());
  const { body: session } = await client.post("/chat/sessions", { content_item_id: item.id });
  const say = (content: string) => client.post(`/chat/sessions/${session.id}/messages`, { content });
  const answer = (depth: number) => `{"questionId":"q","answer":${"[".repeat(depth)}${"]".repeat(depth)}}`;
  expect((await say(answer(3000))).body.detail).toMatchObject([{ loc: ["body", "content"] }]);
  expect((await say(answer(64))).status).toBe(422);
  expect((await say(answer(63))).status).toBe(200);
  expect((await say("[".repeat(3000))).status).toBe(200);
});

describe("another person's session", () => {
  it("is a 403 with its own text, in every operation; a missing one is a 404", async () => {
    const { item } = await make.topic();
    const { id } = await openSession(world.as(await make.person()), item.id);
    const other = world.as(await make.person());
    const ways = (session: number) => [
      other.get(`/chat/sessions/${session}`),
      other.delete(`/chat/sessions/${session}`),
      other.post(`/chat/sessions/${session}/messages`, { content: "Start." }),
      other.post(`/chat/sessions/${session}/greeting`),
      other.post(`/chat/sessions/${session}/share`),
      other.delete(`/chat/sessions/${session}/share`),
    ];
    for (const reply of await Promise.all(ways(id))) expect(reply).toMatchObject(notYours);
    for (const reply of await Promise.all(ways(2_000_000_000)))
      expect(reply).toMatchObject({ status: 404, body: { detail: "Chat session not found" } });
  });
});

describe("reading sessions", () => {
  it("lists the caller's, newest first, with the number of messages", async () => {
    const { item } = await make.topic();
    const client = world.as(await make.person());
    const first = await openSession(client, item.id);
    const second = await openSession(client, item.id);
    await first.say("Start.");
    const { body } = await client.get("/chat/sessions");
    expect(body.map((session: { id: number }) => session.id)).toEqual([second.id, first.id]);
    expect(body[0]).toMatchObject({ message_count: 0, last_message_at: null });
    expect(body[1]).toMatchObject({ message_count: 2, last_message_at: expect.stringMatching(/Z$/) });
    expect((await client.get("/chat/sessions?skip=1&limit=1")).body).toHaveLength(1);
  });

  it("gives the messages, oldest first", async () => {
    const { item } = await make.topic();
    const session = await openSession(world.as(await make.person()), item.id);
    await session.say("Start.");
    const { messages } = await session.read();
    expect(messages).toMatchObject([
      { role: "user", content: "Start.", meta: {} },
      { role: "assistant", meta: { source: "llm" } },
    ]);
  });

  it("deletes a session with its messages", async () => {
    const { item } = await make.topic();
    const client = world.as(await make.person());
    const session = await openSession(client, item.id);
    await session.say("Start.");
    expect((await client.delete(`/chat/sessions/${session.id}`)).status).toBe(204);
    expect((await client.get(`/chat/sessions/${session.id}`)).status).toBe(404);
  });
});

describe("the greeting", () => {
  it("is the assistant's message by default, and the stream on request", async () => {
    const { item } = await make.topic();
    const client = world.as(await make.person());
    const session = await openSession(client, item.id);
    const asJson = await session.greet();
    expect(asJson.status).toBe(200);
    expect(asJson.body).toMatchObject({ role: "assistant", meta: { source: "llm" } });
    const asStream = await client.post(`/chat/sessions/${session.id}/greeting`, undefined, {
      headers: { accept: "text/event-stream" },
    });
    expect(asStream.headers.get("content-type")).toMatch(/^text\/event-stream/);
    expect(asStream.text).toContain('"done":true,"message_id":');
  });
});

describe("a message", () => {
  it.each([
    {},
    { content: null },
    { content: 5 },
    { content: " \n" },
    { content: "x".repeat(32_001) },
    { content: "a\u0000" },
  ])("%j is refused with a 422", async (body) => {
    const { item } = await make.topic();
    const client = world.as(await make.person());
    const { id } = await openSession(client, item.id);
    const reply = await client.post(`/chat/sessions/${id}/messages`, body);
    expect(reply.status).toBe(422);
    expect(reply.body.detail[0].loc).toEqual(["body", "content"]);
  });

  it("counts as activity: the streak begins, and the overview shows it", async () => {
    const { item } = await make.topic();
    const client = world.as(await make.person());
    await (await openSession(client, item.id)).say("Start.");
    expect((await client.get("/users/me")).body).toMatchObject({
      current_streak_days: 1,
      last_activity_date: "2026-03-10",
    });
  });
});

describe("sharing", () => {
  it("gives the same token each time, until it is ended", async () => {
    const { item } = await make.topic();
    const client = world.as(await make.person());
    const session = await openSession(client, item.id);
    await session.say("Start.");
    const first = await client.post(`/chat/sessions/${session.id}/share`);
    const again = await client.post(`/chat/sessions/${session.id}/share`);
    expect(first.body).toEqual(again.body);
    expect(first.body.share_token).toMatch(/^[A-Za-z0-9_-]{22,}$/);
    expect(first.body.share_url).toBe(`/api/v1/chat/share/${first.body.share_token}`);

    const shared = await world.as().get(`/chat/share/${first.body.share_token}`);
    expect(shared.body).toMatchObject({
      title: item.title,
      messages: [{ role: "user" }, { role: "assistant" }],
    });
    expect(shared.text).not.toMatch(/Person-|@example|user_id/);

    expect((await client.delete(`/chat/sessions/${session.id}/share`)).status).toBe(204);
    expect((await world.as().get(`/chat/share/${first.body.share_token}`)).status).toBe(404);
    const renewed = await client.post(`/chat/sessions/${session.id}/share`);
    expect(renewed.body.share_token).not.toBe(first.body.share_token);
  });

  it("opens nothing while its owner is deactivated", async () => {
    const person = await make.person();
    const admin = world.as(await make.holder("platform_admin", (await make.university()).id));
    const { id } = await openSession(world.as(person), (await make.topic()).item.id);
    const { share_token } = (await world.as(person).post(`/chat/sessions/${id}/share`)).body;
    for (const [is_active, status] of [
      [false, 404],
      [true, 200],
    ] as const) {
      await admin.patch(`/users/${person.id}`, { is_active });
      expect((await world.as().get(`/chat/share/${share_token}`)).status).toBe(status);
    }
  });

  it("an unknown token is a 404", async () => {
    expect((await world.as().get("/chat/share/nothing")).status).toBe(404);
  });
});

describe("a topic that is hidden during conversations about it", () => {
  const hiding = {
    "the course": ({ course }: Topic) => ["courses", course.id] as const,
    "the module": ({ module }: Topic) => ["modules", module.id] as const,
    "the module above": ({ above }: Topic) => ["modules", above.id] as const,
    "the item": ({ item }: Topic) => ["content_items", item.id] as const,
  };
  type Topic = Awaited<ReturnType<typeof nested>>;

  async function nested() {
    const topic = await make.topic();
    const above = topic.module;
    const module = await make.module(topic.course.id, { parent_module_id: above.id });
    const item = await make.contentItem(module, topic.university.id);
    return { ...topic, above, module, item };
  }

  it.each(Object.entries(hiding))("is a 404 to their owners, and stores nothing: %s", async (_, hide) => {
    const topic = await nested();
    const [learner, assistant] = [await make.person(), await make.holder("ta", topic.university.id)];
    const own = await openSession(world.as(learner), topic.item.id);
    const staffs = await openSession(world.as(assistant), topic.item.id);
    await own.greet();
    const [table, id] = hide(topic);
    const shown = sql.identifier(table === "content_items" ? "is_active" : "is_published");
    await world.deps.db.execute(sql`update ${sql.identifier(table)} set ${shown} = false where id = ${id}`);

    for (const refused of [await own.say("Start."), await own.say("Why?"), await own.greet()])
      expect([refused.status, refused.body]).toEqual([404, { detail: "Content item not found" }]);
    expect((await own.read()).messages).toHaveLength(2);
    expect((await staffs.say("Start.")).status).toBe(200);

    await world.deps.db.execute(sql`update ${sql.identifier(table)} set ${shown} = true where id = ${id}`);
    expect((await own.say("Start.")).status).toBe(200);
    expect(world.log.at(-1)?.["db_query_count"]).toBe(1);
  });

  it("is no longer shared, until it is visible to everyone again", async () => {
    const { item, course, university } = await make.topic();
    const teacher = world.as(await make.holder("instructor", university.id));
    const { id, greet } = await openSession(teacher, item.id);
    await greet();
    const { share_token } = (await teacher.post(`/chat/sessions/${id}/share`)).body;
    await teacher.put(`/courses/${course.id}`, { is_published: false });
    for (const reader of [world.as(), teacher])
      expect((await reader.get(`/chat/share/${share_token}`)).body).toEqual({
        detail: "Shared session not found",
      });
    await teacher.put(`/courses/${course.id}`, { is_published: true });
    expect((await world.as().get(`/chat/share/${share_token}`)).status).toBe(200);
  });
});
