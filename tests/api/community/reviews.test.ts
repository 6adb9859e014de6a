import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

async function learnerWith(percent: number, status: "ACTIVE" | "COMPLETED" | "DROPPED" = "ACTIVE") {
  const topic = await make.topic();
  for (let more = 0; more < 4; more++) await make.contentItem(topic.module, topic.university.id);
  const person = await make.person();
  await make.enrollment(person.id, topic.offering.id, status);
  await world.deps.db.execute(sql`
    insert into user_content_progress (user_id, course_offering_id, content_item_id, progress_percent)
    values (${person.id}, ${topic.offering.id}, ${topic.item.id}, ${percent})`);
  const path = `/community/offerings/${topic.offering.id}/review`;
  return { ...topic, person, me: world.as(person), path };
}

describe("a review", () => {
  it("takes a fifth of the course", async () => {
    const enough = await learnerWith(100);
    expect((await enough.me.put(enough.path, { rating: 5 })).body).toMatchObject({ rating: 5, is_own: true });
    const less = await learnerWith(99.99);
    const reply = await less.me.put(less.path, { rating: 5 });
    expect([reply.status, reply.body.detail]).toEqual([
      400,
      "A review requires 20 % of the course, or its completion",
    ]);
  });

  it("takes an enrollment that is active or completed", async () => {
    const completed = await learnerWith(0, "COMPLETED");
    expect((await completed.me.put(completed.path, { rating: 5 })).status).toBe(200);
    const dropped = await learnerWith(100, "DROPPED");
    for (const client of [dropped.me, world.as(await make.person())]) {
      const reply = await client.put(dropped.path, { rating: 5 });
      expect([reply.status, reply.body.detail]).toEqual([403, "Not enrolled in this offering"]);
    }
  });

  it("exists once per person, and is deleted when withdrawn", async () => {
    const { me, path, course } = await learnerWith(100);
    await me.put(path, { rating: 5, review_text: "<b>Clear</b>" });
    expect((await me.put(path, { rating: 3 })).body.review_text).toBe("<b>Clear</b>");
    await me.put(path, { rating: 2, review_text: null });
    const reviews = `/community/courses/${course.id}/reviews`;
    expect((await world.as().get(reviews)).body).toMatchObject({
      average_rating: 2,
      review_count: 1,
      reviews: [{ rating: 2, review_text: null, user_id: null, user_name: null, is_own: false }],
    });
    expect((await me.get(reviews)).body.reviews).toMatchObject([{ is_own: true }]);
    expect((await me.get(`${reviews}?own=true`)).body.reviews).toMatchObject([{ rating: 2 }]);
    expect((await me.get(`${reviews}?own=false`)).body).toMatchObject({ review_count: 1, reviews: [] });
    expect((await world.as().get(`${reviews}?own=true`)).body.reviews).toEqual([]);
    expect((await world.as().get(`${reviews}?own=false`)).body.reviews).toMatchObject([{ rating: 2 }]);
    for (const _ of [1, 2]) expect((await me.delete(path)).status).toBe(204);
    expect((await me.get(`/courses/${course.id}`)).body).toMatchObject({
      average_rating: null,
      review_count: 0,
    });
  });
});

it("a course's average and number of reviews are exact after fifty concurrent writes", async () => {
  const { course, offering } = await make.topic();
  const people = await Promise.all(Array.from({ length: 50 }, () => make.person()));
  for (const { id } of people) await make.enrollment(id, offering.id, "COMPLETED");
  const path = `/community/offerings/${offering.id}/review`;
  const write = (rating: (at: number) => number) =>
    Promise.all(people.map((person, at) => world.as(person).put(path, { rating: rating(at) })));
  for (const { status } of await write(() => 1)) expect(status).toBe(200);
  const ratings = people.map((_, at) => (at % 5) + 1);
  await write((at) => ratings[at] ?? 0);
  for (const person of people.slice(0, 7)) await world.as(person).delete(path);
  const left = ratings.slice(7);
  expect((await world.as().get(`/courses/${course.id}`)).body).toMatchObject({
    review_count: 43,
    average_rating: left.reduce((sum, one) => sum + one, 0) / 43,
  });
});

describe("a review that is reported", () => {
  it("is in the staff's list, loses its text when they hide it, and its rating still counts", async () => {
    const { me, path, course, offering, university } = await learnerWith(100);
    const { id } = (await me.put(path, { rating: 1, review_text: "Rude words" })).body;
    const other = world.as(await make.person());
    const staff = world.as(await make.holder("ta", university.id));
    const at = `/community/reviews/${id}`;
    expect((await other.put(`${at}/report`, { reason: "Rude" })).body).toMatchObject({
      post_id: null,
      review_id: id,
      outcome: null,
    });
    const reports = `/community/offerings/${offering.id}/reports`;
    expect((await staff.get(reports)).body).toMatchObject([
      { reason: "Rude", post: null, review: { id, review_text: "Rude words", is_hidden: false } },
    ]);
    const hide = { is_hidden: true };
    expect((await other.put(`${at}/moderation`, hide)).status).toBe(403);
    expect((await staff.put(`${at}/moderation`, hide)).body).toMatchObject({
      review_text: "Rude words",
      is_hidden: true,
    });
    expect((await staff.get(reports)).body).toEqual([]);
    const reviews = `/community/courses/${course.id}/reviews`;
    const shown = async (client: typeof me) => (await client.get(reviews)).body;
    expect(await shown(other)).toMatchObject({
      average_rating: 1,
      reviews: [{ review_text: null, is_hidden: true }],
    });
    for (const client of [me, staff])
      expect(await shown(client)).toMatchObject({ reviews: [{ review_text: "Rude words" }] });
    expect((await me.put(path, { rating: 1, review_text: "Ruder" })).body).toMatchObject({ is_hidden: true });
    await staff.put(`${at}/moderation`, { is_hidden: false });
    expect(await shown(other)).toMatchObject({ reviews: [{ review_text: "Ruder" }] });
    expect((await staff.get(`${reports}?state=resolved`)).body).toMatchObject([{ outcome: "HIDDEN" }]);
    const admin = world.as(await make.holder("university_admin", university.id));
    expect((await admin.get("/admin/audit")).body).toMatchObject([
      { action: "review.kept", details: { review_id: id } },
      { action: "review.hidden", details: { review_id: id } },
    ]);
  });

  it("of a course that the caller does not see is a 404", async () => {
    const { me, path, course } = await learnerWith(100);
    const { id } = (await me.put(path, { rating: 1 })).body;
    await world.deps.db.execute(sql`update courses set is_published = false where id = ${course.id}`);
    const other = world.as(await make.person());
    for (const reply of [
      await other.put(`/community/reviews/${id}/report`, { reason: "Rude" }),
      await other.put(`/community/reviews/${id}/moderation`, { is_hidden: true }),
    ])
      expect([reply.status, reply.body.detail]).toEqual([404, "Review not found"]);
  });
});
