import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import type { Client } from "../../../support/client.ts";
import { makersOf } from "../../../support/makers.ts";
import { sendFile } from "../../../support/send-file.ts";
import { openWorld } from "../../../support/world.ts";
import { openSession } from "./support.ts";

const world = openWorld();
const make = makersOf(world);

/** A topic with this many greeted learners, and its staff. */
async function greeted(learners: number) {
  const topic = await make.topic();
  world.llm.script({ chunks: ["Welcome"] });
  const talks = [];
  for (let one = 0; one < learners; one++) {
    const person = await make.person();
    await make.enrollment(person.id, topic.offering.id);
    const client = world.as(person);
    const session = await openSession(client, topic.item.id);
    await session.greet();
    const { messages, cache_node_id } = await session.read();
    talks.push({
      person,
      client,
      session,
      node: cache_node_id,
      answer: messages[1].id,
      said: messages[0].id,
    });
  }
  const ta = world.as(await make.holder("ta", topic.university.id));
  const inbox = async () => (await ta.get(`/offerings/${topic.offering.id}/tutor-inbox`)).body;
  return { ...topic, talks, ta, inbox };
}

describe("the tutor's inbox", () => {
  it("does not list a pool that the tutor knows, nor a file with a text", async () => {
    const { talks, inbox, item, course, module, university } = await greeted(1);
    const unread = async () =>
      (await inbox()).not_read.map(({ content_item_id }: { content_item_id: number }) => content_item_id);
    const { pool } = await make.questionPool(course);
    const data_json = { question_pool_id: pool.id };
    const quiz = await make.contentItem(module, university.id, { type: "quiz", data_json });
    await openSession(talks[0]?.client as Client, quiz.id);
    expect(await unread()).toEqual([]);
    const exam = await make.contentItem(module, university.id, {
      type: "quiz",
      data_json: { ...data_json, quiz_mode: "exam" },
    });
    expect(await unread()).toEqual([quiz.id]);
    await world.deps.db.execute(sql`delete from content_items where id = ${exam.id}`);
    const admin = world.as(await make.holder("university_admin", university.id));
    const sent = await sendFile(world.deps, admin, { purpose: "ASSET", course_id: course.id });
    const resources = [{ label: "Script", file_id: sent.body.id }];
    const page = await make.contentItem(module, university.id, { type: "resource" });
    expect((await admin.put(`/content/${page.id}`, { data_json: { resources } })).status).toBe(200);
    await openSession(talks[0]?.client as Client, page.id);
    expect(await unread()).toEqual([page.id]);
    await world.deps.db.execute(sql`
      insert into file_texts (object_id, content, characters)
      select object_id, 'All that it says', 16 from files where id = ${sent.body.id}
      on conflict (object_id) do update set content = excluded.content, characters = excluded.characters`);
    expect(await unread()).toEqual([]);
    expect(item.id).toBeGreaterThan(0);
  });

  it("is for the offering's staff alone", async () => {
    const { offering, talks, ta } = await greeted(1);
    const path = `/offerings/${offering.id}/tutor-inbox`;
    const elsewhere = world.as(await make.holder("ta", (await make.university()).id));
    expect((await ta.get(path)).body).toEqual({
      handovers: [],
      worst_nodes: [],
      malformed: [],
      failed_answers: [],
      not_read: [],
    });
    expect((await talks[0]?.client.get(path))?.status).toBe(403);
    expect((await elsewhere.get(path)).status).toBe(403);
    expect((await ta.get("/offerings/2000000000/tutor-inbox")).status).toBe(404);
  });

  it("lists waiting hand-overs, longest first, until staff reply or it is resolved", async () => {
    const { talks, ta, inbox, item } = await greeted(2);
    const threads: number[] = [];
    for (const { client, session, said, answer } of talks) {
      const message_ids = [said, answer];
      const made = await client.post(`/chat/sessions/${session.id}/handover`, {
        ...{ message_ids, question: `Why? ${"x".repeat(600)}`, visible: "STAFF" },
      });
      threads.push(made.body.thread_id);
    }
    const open = async () =>
      (await inbox()).handovers.map(({ thread_id }: { thread_id: number }) => thread_id);
    const [first] = (await inbox()).handovers;
    expect(first).toMatchObject({
      thread_id: threads[0],
      content_item_id: item.id,
      visible: "STAFF",
      user_id: talks[0]?.person.id,
      node_id: talks[0]?.node,
    });
    expect(first.question).toHaveLength(500);
    expect(await open()).toEqual(threads);
    const posts = `/community/threads/${threads[0]}/posts`;
    await ta.post(posts, { body: "Like so." });
    expect(await open()).toEqual([threads[1]]);
    const answered = await talks[0]?.client.post(posts, { body: "But why?" });
    expect((await open()).sort()).toEqual([...threads].sort());
    await ta.put(`/community/threads/${threads[0]}`, { answer_post_id: answered?.body.id });
    await ta.put(`/community/threads/${threads[1]}`, { is_locked: true });
    expect(await open()).toEqual([]);
  });

  it("counts nothing of fewer than five people, nor of people outside of the offering", async () => {
    const { talks, inbox, offering, course } = await greeted(6);
    const down = (of: typeof talks) =>
      Promise.all(
        of.map(({ client, answer }) => client.put(`/chat/messages/${answer}/feedback`, { rating: "down" })),
      );
    await down(talks.slice(0, 4));
    expect((await inbox()).worst_nodes).toEqual([]);
    world.llm.script({ chunks: ["Well."] });
    await talks[4]?.session.say("In my own words");
    const node_id = talks[0]?.node;
    expect((await inbox()).worst_nodes).toMatchObject([
      { node_id, downs: null, departures: null, message: "Start." },
    ]);
    await down(talks.slice(4, 5));
    expect((await inbox()).worst_nodes).toMatchObject([{ node_id, downs: 5, departures: null }]);
    const other = await make.offering(course);
    await world.deps.db.execute(sql`
      update enrollments set course_offering_id = ${other.id}
      where course_offering_id = ${offering.id} and user_id = ${talks[0]?.person.id}`);
    expect((await inbox()).worst_nodes).toEqual([]);
  });

  it("lists items with unreadable questions, of five people or more", async () => {
    const { talks, inbox, item } = await greeted(5);
    const malform = (of: typeof talks) =>
      world.deps.db.execute(sql`
        update chat_messages set meta = meta || '{"stop": "malformed"}'
        where id = any (${sql.param(of.map(({ answer }) => answer))}::bigint[])`);
    await malform(talks.slice(0, 4));
    expect((await inbox()).malformed).toEqual([]);
    await malform(talks);
    expect((await inbox()).malformed).toEqual([{ content_item_id: item.id, title: item.title, answers: 5 }]);
  });

  it("lists answers that failed a check, with both texts, to staff who read answers", async () => {
    const { inbox, item } = await greeted(1);
    const failed = [{ check: "language", reason: "The answer is in another language" }];
    const add = (days: number, second: object[] | null) =>
      world.deps.db.execute(sql`
        insert into failed_answers (
          content_item_id, message, prompt_name, prompt_version, model, answer, failed, second_answer, second_failed,
          created_at)
        values (${item.id}, 'Start.', 'tutor', 1, 'm', 'Eins', ${JSON.stringify(failed)}::jsonb,
                ${second && "Zwei"}, ${second && JSON.stringify(second)}::jsonb,
                service_now() - make_interval(days => ${days}))`);
    await add(31, null);
    await add(2, null);
    await add(1, failed);
    const [newest, older, ...more] = (await inbox()).failed_answers;
    expect(more).toEqual([]);
    expect(newest).toMatchObject({
      ...{ content_item_id: item.id, title: item.title, message: "Start.", failed, answer: "Eins" },
      ...{ second_answer: "Zwei", second_failed: failed, node_id: null },
    });
    expect(older).toMatchObject({ second_answer: null, second_failed: null });
  });

  it("lists parts that the tutor has not read, of items with conversations", async () => {
    const { talks, inbox, item, module, university } = await greeted(1);
    const data_json = { blocks: [{ type: "image", url: "https://x.example/a.png", caption: "A wave" }] };
    await make.contentItem(module, university.id, { data_json });
    expect((await inbox()).not_read).toEqual([]);
    await world.deps.db.execute(sql`
      update content_items set data_json = ${JSON.stringify(data_json)}::jsonb where id = ${item.id}`);
    expect(talks).toHaveLength(1);
    expect((await inbox()).not_read).toEqual([
      { content_item_id: item.id, title: item.title, not_read: [{ label: "A wave", kind: "PICTURE" }] },
    ]);
  });
});
