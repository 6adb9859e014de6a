import { describe, expect, it } from "vitest";
import type { Client } from "../../../support/client.ts";
import { openLab } from "../../../support/lab.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";
import { openQuiz } from "../../assessment/exam.ts";
import { messageIdOf, openSession } from "./support.ts";

const world = openWorld();
const make = makersOf(world);

/** The largest 32-bit id. */
const last = 2 ** 31 - 1;

/** Sets a table's sequence to cross 32 bits at the tenth id. */
const nearTheEnd = (...tables: string[]) =>
  Promise.all(
    tables.map((table) =>
      world.deps.db.execute(`select setval(pg_get_serial_sequence('${table}', 'id'), ${last - 10})`),
    ),
  );

/** Runs it fifteen times and expects ids on both sides of the 32-bit limit. */
async function idsOf(work: (turn: number) => Promise<unknown>): Promise<number[]> {
  const ids: number[] = [];
  for (let turn = 0; turn < 15; turn += 1) ids.push(Number(await work(turn)));
  expect(ids[0]).toBeLessThanOrEqual(last);
  expect(ids.at(-1)).toBeGreaterThan(last);
  return ids;
}

describe("ids that no longer fit into 32 bits", () => {
  it("of progress", async () => {
    await nearTheEnd("user_content_progress", "user_module_progress");
    const { module, offering, university } = await make.topic();
    const learner = await make.person();
    await make.enrollment(learner.id, offering.id);
    const post = async (path: string, about: object) => {
      const at = { course_offering_id: offering.id, progress_percent: 50 };
      const reply = await world.as(learner).post(`/progress/${path}`, { ...at, ...about });
      expect(reply.status, reply.text).toBe(200);
      return reply.body.id;
    };
    await idsOf(async () => {
      const item = await make.contentItem(module, university.id);
      const id = await post("content", { content_item_id: item.id });
      expect(await post("content", { content_item_id: item.id })).toBe(id);
      return id;
    });
    await idsOf(async (turn) => {
      const other = await make.module(module.course_id, { sequence_index: 100 + turn });
      return post("modules", { module_id: other.id });
    });
    const listed = await world
      .as(learner)
      .get(`/progress/content/my-progress?course_offering_id=${offering.id}`);
    expect(Math.max(...listed.body.map(({ id }: { id: number }) => id))).toBeGreaterThan(last);
  });

  it("of conversations: sessions, messages, pending answers and stored ones", async () => {
    await nearTheEnd("chat_sessions", "chat_messages", "generations", "cache_nodes");
    const { item, university } = await make.topic();
    const instructor = world.as(await make.holder("instructor", university.id));
    const client = world.as(await make.person());
    await idsOf(async (turn) => {
      const { item: another } = await make.topic();
      const session = await openSession(client, turn > 12 ? item.id : another.id);
      const id = messageIdOf(await session.say("Start."));
      messageIdOf(await session.say(`Why ${turn}?`));
      const rated = await client.put(`/chat/messages/${id}/feedback`, { rating: "up" });
      expect([rated.status, rated.body.message_id]).toEqual([200, id]);
      const card = await client.post("/study/flashcards/from-answer", { message_id: id });
      expect([card.status, card.body.message_id], card.text).toEqual([201, id]);
      const read = await client.get(`/chat/sessions/${session.id}/messages?before=${id + 1}&limit=1`);
      expect(read.body.messages).toMatchObject([{ id }]);
      return session.id;
    });
    const tree = await instructor.get(`/chat/topics/${item.id}/tree`);
    const [node] = tree.body.nodes;
    expect(node.id).toBeGreaterThan(0);
    const { rows } = await world.deps.db.execute<{ highest: number }>(
      `select min(top) as highest from (
         select max(id) as top from chat_messages union all select max(id) from chat_sessions
         union all select last_value from generations_id_seq union all select max(id) from cache_nodes) as one`,
    );
    expect(rows[0]?.highest).toBeGreaterThan(last);
    const removed = await instructor.delete(`/chat/topics/${item.id}/tree/nodes/${node.id}`);
    expect(removed.status, removed.text).toBe(204);
  });

  it("of posts, their reports and the notifications of answers", async () => {
    await nearTheEnd("discussion_posts", "notifications");
    const { offering } = await make.topic();
    const [asker, answerer] = [await make.person(), await make.person()];
    for (const { id } of [asker, answerer]) await make.enrollment(id, offering.id);
    const begun = await world
      .as(asker)
      .post(`/community/offerings/${offering.id}/threads`, { title: "Beats", body: "Why?" });
    const thread: Client = world.as(answerer);
    let parent: number | null = null;
    await idsOf(async (turn) => {
      const said = await thread.post(`/community/threads/${begun.body.id}/posts`, {
        ...{ body: `So ${turn}`, parent_post_id: turn % 5 ? parent : null },
      });
      expect(said.status, said.text).toBe(201);
      parent = said.body.id;
      const reported = await world
        .as(asker)
        .put(`/community/posts/${parent}/report`, { reason: "Look at it" });
      expect([reported.status, reported.body.post_id], reported.text).toEqual([200, parent]);
      return parent;
    });
    const change = await world
      .as(asker)
      .put(`/community/threads/${begun.body.id}`, { answer_post_id: parent });
    expect([change.status, change.body.answer_post_id], change.text).toEqual([200, parent]);
    const read = await world.as(asker).get("/users/me/notifications");
    const [newest] = read.body.notifications;
    expect(newest).toMatchObject({ post_id: parent });
    expect(newest.id).toBeGreaterThan(last);
    const marked = await world.as(asker).post("/users/me/notifications/read", { up_to: newest.id });
    expect([marked.status, marked.body.unread_count], marked.text).toEqual([200, 0]);
  });

  it("of work that is handed in, of attempts, and of reviews", async () => {
    await nearTheEnd("lab_submissions", "quiz_attempts", "course_reviews");
    const lab = await openLab(world);
    await idsOf(async (turn) => {
      const work = await lab.submit({ body: `Try ${turn}` });
      const graded = await lab.grade(work.body.id, turn);
      expect(graded.status, graded.text).toBe(200);
      return work.body.id;
    });
    const quiz = await openQuiz(world);
    await idsOf(async () => {
      const attempt = await quiz.start();
      const done = await quiz.submit(attempt.body.id, quiz.right);
      expect([done.status, done.body.id], done.text).toEqual([200, attempt.body.id]);
      return done.body.id;
    });
    await idsOf(async () => {
      const learner = await make.person();
      await make.enrollment(learner.id, quiz.offering.id, "COMPLETED", { completion_source: "STAFF" });
      const path = `/community/offerings/${quiz.offering.id}/review`;
      return (await world.as(learner).put(path, { rating: 4 })).body.id;
    });
  });

  it("of events, of visits to stored answers, and of reviews of cards", async () => {
    await nearTheEnd("activity_events", "cache_visits", "flashcard_reviews");
    const { item } = await make.topic();
    const client = world.as(await make.person());
    for (let turn = 0; turn < 15; turn += 1)
      messageIdOf(await (await openSession(client, item.id)).say("Start."));
    const card = await client.post("/study/flashcards", {
      front: "What?",
      back: "That",
      content_item_id: item.id,
    });
    expect(card.status, card.text).toBe(201);
    for (let reps = 0; reps < 15; reps += 1) {
      const reviewed = await client.post(`/study/flashcards/${card.body.id}/reviews`, {
        rating: "GOOD",
        reps,
      });
      expect(reviewed.status, reviewed.text).toBeLessThan(300);
    }
    const { rows } = await world.deps.db.execute<Record<string, number>>(
      `select max(one.id) as events, (select last_value from cache_visits_id_seq) as visits,
              (select max(id) from flashcard_reviews) as reviews from activity_events as one`,
    );
    for (const [of, id] of Object.entries(rows[0] ?? {})) expect(Number(id), of).toBeGreaterThan(last);
  });

  it("are taken up to 2^53 - 1, and others as before", async () => {
    const client = world.as(await make.person());
    const statuses = async (...paths: string[]) =>
      Promise.all(paths.map(async (path) => (await client.get(path)).status));
    const most = Number.MAX_SAFE_INTEGER;
    expect(await statuses(`/chat/sessions/${most}`, `/assessments/submissions/${most}`)).toEqual([404, 404]);
    expect(await statuses(`/chat/sessions/${most + 1}`, `/courses/${last + 1}`)).toEqual([422, 422]);
  });
});
