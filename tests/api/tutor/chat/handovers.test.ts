import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { createNotificationsAndQueueMails } from "../../../../lib/courses/notifications/process-notifications.ts";
import type { Client } from "../../../support/client.ts";
import { eraseAccountOf } from "../../../support/erase.ts";
import { mailboxOf } from "../../../support/mailbox.ts";
import { makersOf } from "../../../support/makers.ts";
import { noDeadline } from "../../../support/no-deadline.ts";
import { openWorld } from "../../../support/world.ts";
import { answerTo, openSession } from "./support.ts";

const world = openWorld({ ACCESS_TOKEN_EXPIRE_MINUTES: "10000" });
const make = makersOf(world);
const mailbox = mailboxOf(world);

const asks = (said: string) => ({
  chunks: [
    `${said}\n\`\`\`mcq\n${JSON.stringify({
      ...{ questionId: "q1", question: "Which?" },
      options: ["A", "B"].map((id) => ({ id, text: `Option ${id}` })),
    })}\n\`\`\``,
  ],
});

/** Ada is one step into a topic; Ben is in her class, whose staff are an assistant and an instructor. */
async function inClass() {
  const topic = await make.topic();
  const [ada, ben] = [await make.person({ full_name: "Ada" }), await make.person()];
  for (const { id } of [ada, ben]) await make.enrollment(id, topic.offering.id);
  const client = world.as(ada);
  const session = await openSession(client, topic.item.id);
  world.llm.script(asks("Welcome"), { chunks: ["Not quite."] });
  await session.say("Start.");
  await session.say(answerTo("q1", "A"));
  const { messages } = await session.read();
  const ids: number[] = messages.map(({ id }: { id: number }) => id);
  const ta = await make.holder("ta", topic.university.id);
  return {
    ...topic,
    person: ada,
    ada: client,
    ben: world.as(ben),
    ta: world.as(ta),
    instructor: world.as(await make.holder("instructor", topic.university.id)),
    session,
    messages,
    ids,
    threads: `/community/offerings/${topic.offering.id}/threads`,
  };
}

const question = "Why is it not the first option?";

const handOver = (client: Client, session: number, body: object = {}) =>
  client.post(`/chat/sessions/${session}/handover`, { question, visible: "STAFF", ...body });

describe("a teacher of the offering", () => {
  const notices = async (client: Client) =>
    (await client.get("/users/me/notifications?kind=tutor_handover")).body.notifications;

  it("is notified of a hand-over, of one at a time, by their preferences", async () => {
    const { ada, ben, session, ids, ta, item, offering, course, university } = await inClass();
    const teacher = await make.holder("instructor", university.id);
    const client = world.as(teacher);
    const admin = world.as(await make.holder("university_admin", university.id));
    const named = await admin.post(`/courses/${course.id}/offerings/${offering.id}/instructors`, {
      user_id: teacher.id,
    });
    expect(named.status).toBe(201);
    const first = (await handOver(ada, session.id, { message_ids: ids })).body;
    await handOver(ada, session.id, { message_ids: ids, visible: "CLASS" });
    expect(await notices(client)).toMatchObject([
      {
        ...{ kind: "tutor_handover", thread_id: first.thread_id, course_offering_id: offering.id },
        ...{ title: item.title, by_name: "Ada", read_at: null },
      },
    ]);
    for (const other of [ta, ada, ben]) expect(await notices(other)).toEqual([]);
    const [{ id }] = await notices(client);
    await client.post("/users/me/notifications/read", { ids: [id] });
    const next = (await handOver(ada, session.id, { message_ids: ids })).body;
    expect((await notices(client)).map(({ thread_id }: { thread_id: number }) => thread_id)).toEqual([
      next.thread_id,
      first.thread_id,
    ]);
    await client.put("/users/me/notification-preferences", { tutor_handover: { in_app: false } });
    expect(await notices(client)).toEqual([]);
    await world.deps.db.execute(sql`delete from user_university_roles where user_id = ${teacher.id}`);
    await client.put("/users/me/notification-preferences", { tutor_handover: { in_app: true } });
    expect(await notices(client)).toHaveLength(0);
  });
});

describe("a hand-over", () => {
  it("is a thread of the offering with the messages as they were shown, in their order", async () => {
    const { ada, ta, session, ids, messages, offering, item, threads } = await inClass();
    const made = await handOver(ada, session.id, { message_ids: [ids[3], ids[1], ids[3]], visible: "class" });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      course_offering_id: offering.id,
      visible: "CLASS",
      message_ids: [ids[1], ids[3]],
      question,
      post_count: 1,
      replies: [],
    });
    const path = `/community/threads/${made.body.thread_id}`;
    const excerpt = [messages[1], messages[3]].map(({ id, role, content, created_at }) => ({
      ...{ id, role, content, created_at },
    }));
    const thread = (await ada.get(path)).body;
    expect(thread).toMatchObject({
      title: item.title,
      content_item_id: item.id,
      visible: "CLASS",
      handover: { content_item_id: item.id, node_id: null, excerpt },
    });
    expect((await ada.get(`${path}/posts`)).body.posts).toMatchObject([{ body: question }]);
    // Staff can edit its last answer.
    const { nodes } = (await ta.get(`/chat/topics/${item.id}/tree`)).body;
    expect(nodes.map(({ id }: { id: number }) => id)).toContain((await session.read()).cache_node_id);
    expect((await ta.get(path)).body.handover.node_id).toBe((await session.read()).cache_node_id);
    const other = await ada.post(threads, { body: "No hand-over" });
    expect((await ada.get(`/community/threads/${other.body.id}`)).body.handover).toBeNull();
  });

  it("to the class is read by the class, to staff by them and by oneself alone, in every read", async () => {
    const { ada, ben, ta, instructor, session, ids, offering, threads, item, university, course } =
      await inClass();
    const stranger = world.as(await make.person());
    const elsewhere = world.as(await make.holder("instructor", (await make.university()).id));
    const { body } = await handOver(ada, session.id, { message_ids: ids });
    const path = `/community/threads/${body.thread_id}`;
    const first = (await ada.get(`${path}/posts`)).body.posts[0].id;
    const shared = await handOver(ada, session.id, { message_ids: ids, visible: "CLASS" });
    const admin = world.as(await make.holder("university_admin", university.id));
    const found = async (client: Client, query = "") =>
      (await client.get(`${threads}${query}`)).body.map(({ id }: { id: number }) => id);
    const both = [shared.body.thread_id, body.thread_id];
    for (const query of ["", `?content_item_id=${item.id}`, "?q=options", "?unanswered=true"]) {
      for (const reader of [ada, ta, instructor, admin])
        expect(await found(reader, query), query).toEqual(both);
      expect(await found(ben, query), query).toEqual([shared.body.thread_id]);
    }
    expect((await ben.get(`${threads}?limit=1`)).headers.get("link")).toBeNull();

    for (const reader of [ben, stranger, elsewhere]) {
      const replies = [
        await reader.get(path),
        await reader.get(`${path}/posts`),
        await reader.post(`${path}/posts`, { body: "I know" }),
        await reader.put(path, { title: "Mine" }),
        await reader.put(`/community/posts/${first}`, { body: "Mine" }),
        await reader.put(`/community/posts/${first}/report`, { reason: "R" }),
        await reader.delete(`/community/posts/${first}`),
      ];
      expect(replies.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404, 404]);
    }
    for (const reader of [ada, ta, instructor, admin]) expect((await reader.get(path)).status).toBe(200);

    // Nothing else that a classmate or the link's reader sees contains it.
    const link = (await ada.post(`/chat/sessions/${session.id}/share`)).body.share_url.split("/").at(-1);
    const posts = await world.deps.db.execute(sql`
      update discussion_posts set body = 'hush' where thread_id = ${body.thread_id} returning id`);
    expect(posts.rowCount).toBe(1);
    await world.deps.db.execute(sql`
      update tutor_handovers set excerpt = jsonb_set(excerpt, '{0,content}', '"hush"') where thread_id = ${body.thread_id}`);
    await world.deps.db.execute(
      sql`update discussion_threads set title = 'hush' where id = ${body.thread_id}`,
    );
    const reads = [
      ...["/users/me/overview", "/users/me/home", "/users/me/notifications", "/users/me/export", threads],
      ...[`/courses/${course.id}`, `/courses/${course.id}/outline`, `/content/${item.id}`],
      ...[`/offerings/${offering.id}/tutor-inbox`, `/chat/topics/${item.id}/tree`, "/chat/sessions"],
      `/chat/share/${link}`,
    ];
    for (const one of reads) expect((await ben.get(one)).text, one).not.toMatch(/hush/);
    expect((await ada.get(threads)).text).toMatch(/hush/);
    expect((await ta.get(path)).text).toMatch(/hush.*hush/);
  });

  it("to staff is hidden from former staff, and visible again once they return", async () => {
    const { ada, session, ids, university, offering } = await inClass();
    const { body } = await handOver(ada, session.id, { message_ids: ids });
    const path = `/community/threads/${body.thread_id}`;
    const person = await make.holder("ta", university.id);
    expect((await world.as(person).get(path)).status).toBe(200);
    await world.deps.db.execute(sql`delete from user_university_roles where user_id = ${person.id}`);
    await make.enrollment(person.id, offering.id);
    expect((await world.as(person).get(path)).status).toBe(404);
  });

  it("reports a reply by notification and mail, to its author and staff only, and in the conversation", async () => {
    const { ada, ben, ta, instructor, session, ids, person } = await inClass();
    await world.deps.db.execute(sql`update users set email_verified_at = now() where id = ${person.id}`);
    await ada.put("/users/me/notification-preferences", { discussion_reply: { mail: "immediate" } });
    const { body } = await handOver(ada, session.id, { message_ids: ids });
    const posts = `/community/threads/${body.thread_id}/posts`;
    const reply = await ta.post(posts, { body: "Because of the sign." });
    expect(reply.status).toBe(201);
    // A learner's reply notifies the assistant. A teacher who lost the role gets no notification.
    await instructor.post(posts, { body: "Look at x = 0.", parent_post_id: reply.body.id });
    await ada.post(posts, { body: "I see!", parent_post_id: reply.body.id });
    const toldOf = async (client: Client) =>
      (await client.get("/users/me/notifications")).body.notifications.map(
        ({ kind, thread_id }: { kind: string; thread_id: number }) => [kind, thread_id],
      );
    const one = ["discussion_reply", body.thread_id];
    expect([await toldOf(ada), await toldOf(ta), await toldOf(instructor), await toldOf(ben)]).toEqual([
      [one, one],
      [one, one],
      [],
      [],
    ]);
    await createNotificationsAndQueueMails(world.deps, noDeadline());
    await mailbox.send();
    expect(mailbox.mails.map(({ to }) => to)).toEqual([person.email]);

    const read = await session.read();
    expect(read.handovers).toMatchObject([
      {
        thread_id: body.thread_id,
        visible: "STAFF",
        question,
        message_ids: ids,
        post_count: 4,
        replies: [{ body: "Because of the sign." }, { body: "Look at x = 0." }, { body: "I see!" }],
      },
    ]);
    // Hidden and deleted posts are left out, as are posts of a deleted thread.
    await ta.put(`/community/posts/${reply.body.id}/moderation`, { is_hidden: true });
    expect((await session.read()).handovers[0].replies).toHaveLength(2);
    await ta.delete(`/community/threads/${body.thread_id}`);
    expect((await session.read()).handovers).toEqual([]);
  });

  it("outlives its conversation, and not its writer", async () => {
    const { ada, ta, session, ids, person } = await inClass();
    const { body } = await handOver(ada, session.id, { message_ids: ids });
    const path = `/community/threads/${body.thread_id}`;
    await ada.delete(`/chat/sessions/${session.id}`);
    expect((await ta.get(path)).body.handover.excerpt).toHaveLength(4);
    expect((await ada.get("/users/me/export")).text).toMatch(/"tutor_handovers":\s*\[\{/);
    expect(await eraseAccountOf(world, person)).toBe(204);
    expect((await ta.get(path)).body).toMatchObject({
      handover: null,
      title: null,
      created_by_user_id: null,
      visible: "STAFF",
    });
  });

  it("of an aside has the aside's own messages", async () => {
    const { ada, session, ids, item } = await inClass();
    const { body: aside } = await ada.post("/chat/sessions", {
      content_item_id: item.id,
      aside_of: session.id,
    });
    world.llm.script({ chunks: ["Since it is B."] });
    await ada.post(`/chat/sessions/${aside.id}/messages`, { content: "Why?" });
    const { messages } = (await ada.get(`/chat/sessions/${aside.id}`)).body;
    const own = messages.map(({ id }: { id: number }) => id);
    const made = await handOver(ada, aside.id, { message_ids: own });
    expect([made.status, made.body.message_ids]).toEqual([201, own]);
    const thread = (await ada.get(`/community/threads/${made.body.thread_id}`)).body;
    expect(thread.handover.excerpt).toMatchObject([{ content: "Why?" }, { content: "Since it is B." }]);
    expect((await handOver(ada, aside.id, { message_ids: ids })).status).toBe(400);
  });

  it("puts nothing into the tree, and makes no call", async () => {
    const { ada, ta, session, ids, item } = await inClass();
    const calls = world.llm.calls();
    const tree = async () => (await ta.get(`/chat/topics/${item.id}/tree`)).text;
    const before = [await tree(), (await session.read()).messages];
    await handOver(ada, session.id, { message_ids: ids, visible: "CLASS" });
    expect([await tree(), (await session.read()).messages]).toEqual(before);
    expect(world.llm.calls()).toBe(calls);
  });
});

describe("a hand-over is rejected", () => {
  it("of a missing conversation or another person's, as its messages are", async () => {
    const { ada, ben, ta, session, ids } = await inClass();
    const body = { message_ids: ids };
    expect((await handOver(ada, 2_000_000_000, body)).body.detail).toBe("Chat session not found");
    for (const other of [ben, ta]) {
      const reply = await handOver(other, session.id, body);
      expect([reply.status, reply.body.detail]).toEqual([403, "Not your chat session"]);
    }
  });

  it("with messages of another conversation, unknown ones, none, too many, or too much", async () => {
    const { ada, ben, session, ids, item } = await inClass();
    const theirs = await openSession(ben, item.id);
    await theirs.say("Start.");
    const [{ id: another }] = (await theirs.read()).messages;
    for (const unknown of [another, 9_000_000_000]) {
      const reply = await handOver(ada, session.id, { message_ids: [...ids, unknown] });
      expect([reply.status, reply.body.detail]).toEqual([
        400,
        `Hand-over message_ids '${unknown}' does not exist`,
      ]);
    }
    for (const body of [
      { message_ids: [] },
      { message_ids: Array.from({ length: 21 }, (_, n) => n + 1) },
      {},
      { message_ids: ids, question: " " },
      { message_ids: ids, question: "x".repeat(8001) },
      { message_ids: ids, visible: "everyone" },
      { message_ids: ids, visible: undefined },
    ])
      expect((await handOver(ada, session.id, body)).status).toBe(422);
    await world.deps.db.execute(
      sql`update chat_messages set content = repeat('x', 40000) where session_id = ${session.id}`,
    );
    const long = await handOver(ada, session.id, { message_ids: ids });
    expect([long.status, long.body.detail]).toEqual([
      400,
      "The messages have 160000 characters together. At most 100000 can be handed over",
    ]);
    const threads = await world.deps.db.execute(
      sql`select from discussion_threads where content_item_id = ${item.id}`,
    );
    expect(threads.rowCount).toBe(0);
  });

  it("into an offering that one is not in, or of another course", async () => {
    const { ada, session, ids, course, offering } = await inClass();
    const other = await make.offering(course);
    const elsewhere = await make.topic();
    const into = (course_offering_id: number) =>
      handOver(ada, session.id, { message_ids: ids, course_offering_id });
    const told = [other.id, elsewhere.offering.id, 2_000_000_000].map(async (id) => {
      const { status, body } = await into(id);
      return [status, body.detail];
    });
    expect(await Promise.all(told)).toEqual([
      [403, "Not enrolled in this offering"],
      [400, `Hand-over course_offering_id '${elsewhere.offering.id}' does not exist`],
      [400, "Hand-over course_offering_id '2000000000' does not exist"],
    ]);
    expect((await into(offering.id)).status).toBe(201);
    await world.deps.db.execute(
      sql`update enrollments set status = 'dropped' where course_offering_id = ${offering.id}`,
    );
    for (const reply of [await into(offering.id), await handOver(ada, session.id, { message_ids: ids })])
      expect([reply.status, reply.body.detail]).toEqual([403, "Not enrolled in this offering"]);
  });

  it("once its item is hidden", async () => {
    const { ada, session, ids, item } = await inClass();
    await world.deps.db.execute(sql`update content_items set is_active = false where id = ${item.id}`);
    const reply = await handOver(ada, session.id, { message_ids: ids });
    expect([reply.status, reply.body.detail]).toEqual([404, "Content item not found"]);
  });
});
