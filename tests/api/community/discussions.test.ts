import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

/** A class: two learners, a teaching assistant, and the first learner's thread. */
async function classroom() {
  const topic = await make.topic();
  const [ada, ben] = [await make.person(), await make.person()];
  for (const { id } of [ada, ben]) await make.enrollment(id, topic.offering.id);
  const people = {
    ada: world.as(ada),
    ben: world.as(ben),
    staff: world.as(await make.holder("ta", topic.university.id)),
  };
  const threads = `/community/offerings/${topic.offering.id}/threads`;
  const began = await people.ada.post(threads, { title: "Beats", body: "Why do they beat?" });
  expect(began.status).toBe(201);
  const path = `/community/threads/${began.body.id}`;
  const posts = async (client = people.ada) => (await client.get(`${path}/posts`)).body.posts;
  return { ...topic, ...people, threads, path, thread: began.body, posts, adaId: ada.id };
}

describe("a thread", () => {
  it("begins with its first post, and is activity", async () => {
    const { ada, thread, posts, adaId, item, threads } = await classroom();
    expect(thread).toMatchObject({ title: "Beats", post_count: 1, is_locked: false, answer_post_id: null });
    expect(await posts()).toMatchObject([{ body: "Why do they beat?", depth: 0, user_id: adaId }]);
    await ada.post(threads, { body: "About this", content_item_id: item.id });
    expect((await ada.get("/users/me")).body.current_streak_days).toBe(1);
    expect((await ada.get("/users/me/overview")).body.recent_activity).toMatchObject([
      { type: "POSTED", title: item.title },
      { type: "POSTED" },
    ]);
    expect((await ada.get(`${threads}?content_item_id=${item.id}`)).body).toHaveLength(1);
  });

  it("is about a module or an item of its course", async () => {
    const { ada, threads, module, course } = await classroom();
    const hidden = await make.module(course.id, { is_published: false });
    const elsewhere = await make.topic();
    expect((await ada.post(threads, { body: "B", module_id: module.id })).status).toBe(201);
    for (const [field, id] of [
      ["module_id", hidden.id],
      ["module_id", elsewhere.module.id],
      ["content_item_id", elsewhere.item.id],
    ]) {
      const reply = await ada.post(threads, { body: "B", [String(field)]: id });
      expect([reply.status, reply.body.detail]).toEqual([
        400,
        `Discussion thread ${field} '${id}' does not exist`,
      ]);
    }
  });

  it("about content that is now hidden is visible to staff only", async () => {
    const { ada, staff, threads, module } = await classroom();
    const about = await ada.post(threads, { body: "B", module_id: module.id });
    await world.deps.db.execute(sql`update modules set is_published = false where id = ${module.id}`);
    const path = `/community/threads/${about.body.id}`;
    expect([(await ada.get(path)).status, (await staff.get(path)).status]).toEqual([404, 200]);
    expect((await ada.get(threads)).body).toHaveLength(1);
    expect((await staff.get(threads)).body).toHaveLength(2);
  });

  it("is found by words of its title or its posts, in the course's language, as everyone reads them", async () => {
    const { ada, ben, staff, threads, path, course } = await classroom();
    await world.deps.db.execute(sql`update courses set language_code = 'de' where id = ${course.id}`);
    const { body: post } = await ben.post(`${path}/posts`, { body: "Zwei Häuser schwingen" });
    const found = async (words: string) =>
      (await ada.get(`${threads}?q=${encodeURIComponent(words)}`)).body.map(
        ({ title }: { title: string }) => title,
      );
    expect(await Promise.all(["beats", "haus", "häuser schwingen", "baum"].map(found))).toEqual([
      ["Beats"],
      ["Beats"],
      ["Beats"],
      [],
    ]);
    await staff.put(`/community/posts/${post.id}/moderation`, { is_hidden: true });
    expect(await found("haus")).toEqual([]);
  });

  it("that is locked, opened and deleted by staff, with a post that is hidden, is in the audit log", async () => {
    const { staff, path, posts, thread, university } = await classroom();
    const [{ id }] = await posts();
    for (const is_locked of [true, true, false]) await staff.put(path, { is_locked });
    await staff.put(`/community/posts/${id}/moderation`, { is_hidden: true });
    await staff.delete(path);
    const admin = world.as(await make.holder("university_admin", university.id));
    const thread_id = thread.id;
    expect((await admin.get("/admin/audit")).body).toMatchObject([
      { action: "thread.deleted", details: { thread_id } },
      { action: "post.hidden", details: { post_id: id } },
      { action: "thread.unlocked", details: { thread_id } },
      { action: "thread.locked", details: { thread_id } },
    ]);
  });

  it.each(["WAITLISTED", "DROPPED", "PENDING", undefined] as const)(
    "is a 404 for a learner whose enrollment is %s",
    async (status) => {
      const { threads, path, thread, offering, posts } = await classroom();
      const person = await make.person();
      if (status) await make.enrollment(person.id, offering.id, status);
      const client = world.as(person);
      for (const reply of [await client.get(threads), await client.post(threads, { body: "B" })])
        expect([reply.status, reply.body.detail]).toEqual([403, "Not enrolled in this offering"]);
      const [first] = await posts();
      for (const reply of [
        await client.get(path),
        await client.put(path, { title: "T" }),
        await client.get(`${path}/posts`),
        await client.post(`${path}/posts`, { body: "B" }),
        await client.put(`/community/posts/${first.id}`, { body: "B" }),
        await client.put(`/community/posts/${first.id}/report`, { reason: "R" }),
      ])
        expect(reply.status).toBe(404);
      expect(thread.post_count).toBe(1);
    },
  );

  it("is pinned and locked by staff, and renamed by its author", async () => {
    const { ada, ben, staff, threads, path, thread } = await classroom();
    const newer = await ben.post(threads, { body: "Newer" });
    expect((await ada.put(path, { title: "Beating" })).body.title).toBe("Beating");
    expect((await ben.put(path, { title: "Mine" })).status).toBe(403);
    for (const change of [{ is_pinned: true }, { is_locked: true, title: "T" }])
      expect((await ada.put(path, change)).status).toBe(403);
    const ids = async () => (await ada.get(threads)).body.map(({ id }: { id: number }) => id);
    expect(await ids()).toEqual([newer.body.id, thread.id]);
    expect((await staff.put(path, { is_pinned: true })).body).toMatchObject({
      is_pinned: true,
      title: "Beating",
    });
    expect(await ids()).toEqual([thread.id, newer.body.id]);
    expect((await staff.put(path, {})).body).toMatchObject({ is_pinned: true, title: "Beating" });
    expect([(await ada.delete(path)).status, (await staff.delete(path)).status]).toEqual([403, 204]);
    expect(await ids()).toEqual([newer.body.id]);
  });

  it("takes no post or edit while it is locked, from staff neither", async () => {
    const { ada, staff, path, posts } = await classroom();
    await staff.put(path, { is_locked: true });
    const [first] = await posts();
    for (const reply of [
      await ada.post(`${path}/posts`, { body: "B" }),
      await staff.post(`${path}/posts`, { body: "B" }),
      await ada.put(`/community/posts/${first.id}`, { body: "B" }),
    ])
      expect([reply.status, reply.body.detail]).toEqual([400, "Thread is locked"]);
    await staff.put(path, { is_locked: false });
    expect((await ada.post(`${path}/posts`, { body: "B" })).status).toBe(201);
  });

  it("is unanswered until a post of it is marked, and again when that is hidden or deleted", async () => {
    const { ada, ben, staff, threads, path, thread } = await classroom();
    const reply = (await ben.post(`${path}/posts`, { body: "They interfere" })).body;
    const unanswered = async () => (await ada.get(`${threads}?unanswered=true`)).body.length;
    expect(await unanswered()).toBe(1);
    expect((await ben.put(path, { answer_post_id: reply.id })).status).toBe(403);
    expect((await ada.put(path, { answer_post_id: reply.id })).body.answer_post_id).toBe(reply.id);
    expect(await unanswered()).toBe(0);
    const other = await ada.post(threads, { body: "Other" });
    const foreign = await ada.put(`/community/threads/${other.body.id}`, { answer_post_id: reply.id });
    expect([foreign.status, foreign.body.detail]).toEqual([
      400,
      `Discussion thread answer_post_id '${reply.id}' does not exist`,
    ]);
    const moderate = (is_hidden: boolean) =>
      staff.put(`/community/posts/${reply.id}/moderation`, { is_hidden });
    await moderate(true);
    expect([await unanswered(), (await ada.get(path)).body.answer_post_id]).toEqual([2, null]);
    expect((await ada.put(path, { answer_post_id: reply.id })).status).toBe(400);
    await moderate(false);
    expect((await ada.put(path, { answer_post_id: reply.id })).status).toBe(200);
    await ben.delete(`/community/posts/${reply.id}`);
    expect((await ada.get(`/community/threads/${thread.id}`)).body.answer_post_id).toBeNull();
  });
});

describe("a post", () => {
  it("answers another, eight deep at most", async () => {
    const { ada, path, posts } = await classroom();
    let [{ id: parent_post_id }] = await posts();
    for (let depth = 1; depth <= 8; depth++) {
      const reply = await ada.post(`${path}/posts`, { body: `${depth}`, parent_post_id });
      expect(reply.body).toMatchObject({ depth, parent_post_id });
      parent_post_id = reply.body.id;
    }
    const deeper = await ada.post(`${path}/posts`, { body: "9", parent_post_id });
    expect([deeper.status, deeper.body.detail]).toEqual([400, "Posts can be nested at most 8 deep"]);
    const foreign = await ada.post(`${path}/posts`, { body: "B", parent_post_id: 2_000_000_000 });
    expect([foreign.status, foreign.body.detail]).toEqual([
      400,
      "Discussion post parent_post_id '2000000000' does not exist",
    ]);
  });

  it("returns its text unchanged", async () => {
    const { ada, path, posts } = await classroom();
    const body = `<script>alert("1")</script><img src=x onerror=alert(1)> [a](javascript:alert(1)) &lt; \u202e 🦉`;
    expect((await ada.post(`${path}/posts`, { body })).body.body).toBe(body);
    expect((await posts()).at(-1).body).toBe(body);
    const reply = await ada.get(`${path}/posts`);
    expect(reply.headers.get("content-type")).toBe("application/json");
    expect(reply.headers.get("x-content-type-options")).toBe("nosniff");
  });

  it("is edited and deleted by its author only, and keeps its position", async () => {
    const { ada, ben, staff, path, posts } = await classroom();
    const [first] = await posts();
    const at = `/community/posts/${first.id}`;
    const answer = (await ben.post(`${path}/posts`, { body: "So", parent_post_id: first.id })).body;
    for (const other of [ben, staff])
      for (const reply of [await other.put(at, { body: "Mine" }), await other.delete(at)])
        expect([reply.status, reply.body.detail]).toEqual([403, "Not your post"]);
    expect((await ada.put(at, { body: "Why?" })).body).toMatchObject({ id: first.id, body: "Why?" });
    expect((await ada.delete(at)).status).toBe(204);
    expect(await posts(ben)).toMatchObject([
      { id: first.id, body: null, is_deleted: true },
      { id: answer.id, body: "So", parent_post_id: first.id },
    ]);
    expect((await ada.put(at, { body: "Again" })).body.detail).toBe("Post is deleted");
    const late = await ben.post(`${path}/posts`, { body: "B", parent_post_id: first.id });
    expect([late.status, late.body.detail]).toEqual([400, "The post that you reply to is deleted or hidden"]);
    const { rows } = await world.deps.db.execute(
      sql`select body from discussion_posts where id = ${first.id}`,
    );
    expect(rows).toEqual([{ body: "" }]);
  });

  it("that is reported can be hidden by staff from all but its writer, or kept", async () => {
    const { ada, ben, staff, path, posts, offering } = await classroom();
    const rude = (await ada.post(`${path}/posts`, { body: "Rude words" })).body;
    const at = `/community/posts/${rude.id}`;
    await ben.put(`${at}/report`, { reason: "Rude" });
    const report = await ben.put(`${at}/report`, { reason: "Very rude" });
    expect(report.body).toMatchObject({ post_id: rude.id, reason: "Very rude", outcome: null });

    const reports = `/community/offerings/${offering.id}/reports`;
    expect((await ben.get(reports)).body).toEqual({ detail: "Not enough permissions" });
    expect((await staff.get(reports)).body).toMatchObject([
      { reason: "Very rude", thread_title: "Beats", post: { id: rude.id, body: "Rude words" } },
    ]);
    expect((await ben.put(`${at}/moderation`, { is_hidden: true })).status).toBe(403);
    expect((await staff.put(`${at}/moderation`, { is_hidden: true })).body.is_hidden).toBe(true);
    expect((await staff.get(reports)).body).toEqual([]);
    expect((await staff.get(`${reports}?state=resolved`)).body).toMatchObject([{ outcome: "HIDDEN" }]);
    const seen = async (client: typeof ada) => (await posts(client)).at(-1).body;
    expect([await seen(ada), await seen(ben), await seen(staff)]).toEqual(["Rude words", null, "Rude words"]);
    await staff.put(`${at}/moderation`, { is_hidden: false });
    expect(await seen(ben)).toBe("Rude words");
  });
});

it("a thread of 10 000 of the longest posts is paged in bounded size, each post once", async () => {
  const { ada, path, thread } = await classroom();
  // Characters that take one byte in the database and six in JSON.
  await world.deps.db.execute(sql`
    insert into discussion_posts (thread_id, user_id, body)
    select ${thread.id}, created_by_user_id, case when n <= 100 then repeat(chr(1), 8000) else 'Said' end
    from discussion_threads, generate_series(1, 9999) as n where id = ${thread.id} order by n`);
  const ids: number[] = [];
  for (let after = 0, more = true; more && ids.length < 400; ) {
    const reply = await ada.get(`${path}/posts?after=${after || 1}`);
    expect(reply.status).toBe(200);
    expect(reply.text.length).toBeLessThan(5 * 1024 * 1024);
    expect(reply.body.posts).toHaveLength(100);
    ids.push(...reply.body.posts.map(({ id }: { id: number }) => id));
    after = ids.at(-1) ?? 0;
    more = reply.body.has_more;
  }
  expect(ids).toEqual([...new Set(ids)].sort((one, other) => one - other));
  const { rows } = await world.deps.db.execute(sql`
    select id from discussion_posts where thread_id = ${thread.id} order by id offset 9990`);
  const last = await ada.get(`${path}/posts?after=${rows[0]?.["id"]}`);
  expect(last.body).toMatchObject({ has_more: false, posts: rows.slice(1) });
  const { rows: plan } = await world.deps.db.execute(sql`
    explain (analyze, format json, costs off, timing off, summary off)
    select id from discussion_posts where thread_id = ${thread.id} and id > ${rows[0]?.["id"]} order by id limit 101`);
  expect(JSON.stringify(plan)).not.toContain("Seq Scan");
});
