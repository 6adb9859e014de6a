import { eq, sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { discussionPosts } from "../../../schema/db/community/discussions.ts";
import type { Person } from "../../support/client.ts";
import { eraseAccountOf } from "../../support/erase.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

let university: Awaited<ReturnType<typeof make.university>>;
let offering: Awaited<ReturnType<typeof make.offering>>;
let [teacher, assistant, classmate]: Person[] = [];
let learner: Awaited<ReturnType<typeof make.person>> | undefined;

const as = (person: Person | undefined) => {
  if (!person) throw new Error("nobody");
  return world.as(person);
};
const begin = (body: object, person = teacher) =>
  as(person).post(`/community/offerings/${offering.id}/private-threads`, { body: "A word", ...body });
const enrolled = async (status: "ACTIVE" | "DROPPED" = "ACTIVE") => {
  const person = await make.person();
  await make.enrollment(person.id, offering.id, status);
  return person;
};
const told = async (person: Person | undefined) =>
  (await as(person).get("/users/me/notifications")).body.notifications.map(
    ({ kind, thread_id }: { kind: string; thread_id: number }) => [kind, thread_id],
  );

beforeAll(async () => {
  university = await make.university();
  offering = await make.offering(await make.course(university.id));
  teacher = await make.holder("instructor", university.id);
  assistant = await make.holder("ta", university.id);
  [learner, classmate] = [await enrolled(), await enrolled()];
});

describe("a private message to one person", () => {
  it("is started by teachers, only to a person with a seat", async () => {
    const dropped = await enrolled("DROPPED");
    const stranger = await make.person();
    for (const [body, status, person] of [
      [{ user_id: dropped.id }, 404, teacher],
      [{ user_id: stranger.id }, 404, teacher],
      [{ user_id: teacher?.id }, 404, teacher],
      [{ email: "nobody@example.edu" }, 404, teacher],
      [{}, 422, teacher],
      [{ user_id: learner?.id, email: learner?.email }, 422, teacher],
      [{ user_id: learner?.id, body: " " }, 422, teacher],
      [{ user_id: learner?.id, file_ids: [999] }, 400, teacher],
      [{ user_id: learner?.id }, 403, classmate],
      [{ user_id: learner?.id }, 403, learner],
      [{ user_id: learner?.id }, 403, stranger],
    ] as const)
      expect([body, (await begin(body, person)).status]).toEqual([body, status]);
    const path = "/community/offerings/999999/private-threads";
    expect((await as(teacher).post(path, { user_id: learner?.id, body: "x" })).status).toBe(404);
    const byAddress = await begin({ email: learner?.email }, assistant);
    expect([byAddress.status, byAddress.body]).toMatchObject([201, { learner_user_id: learner?.id }]);
  });

  it("can be answered by both, notifies both, and is hidden from the rest of the class", async () => {
    const { body: thread } = await begin({ user_id: learner?.id, title: "Heron", body: "An umbrella word" });
    expect(thread).toMatchObject({ visible: "STAFF", created_by_user_id: teacher?.id, post_count: 1 });
    expect(await told(learner)).toContainEqual(["private_message", thread.id]);
    const posts = `/community/threads/${thread.id}/posts`;
    expect((await as(learner).post(posts, { body: "I answer" })).status).toBe(201);
    expect(await told(teacher)).toContainEqual(["discussion_reply", thread.id]);
    // An answer by any staff member notifies the learner.
    const answer = await as(assistant).post(posts, { body: "So do I" });
    expect(answer.status).toBe(201);
    expect(await told(learner)).toContainEqual(["discussion_reply", thread.id]);

    const list = `/community/offerings/${offering.id}/threads`;
    const seen = async (person: Person | undefined, query = "") =>
      (await as(person).get(`${list}${query}`)).body.map(({ id }: { id: number }) => id);
    for (const person of [teacher, assistant, learner]) {
      expect(await seen(person)).toContain(thread.id);
      expect(await seen(person, "?q=umbrella")).toEqual([thread.id]);
      expect((await as(person).get(posts)).body.posts).toHaveLength(3);
    }
    expect([await seen(classmate), await seen(classmate, "?q=umbrella")]).toEqual([[], []]);
    for (const path of [`/community/threads/${thread.id}`, posts])
      expect((await as(classmate).get(path)).status).toBe(404);
    expect((await as(classmate).post(posts, { body: "And I?" })).status).toBe(404);
    expect(
      (await as(classmate).post(`/community/posts/${answer.body.id}/reports`, { reason: "x" })).status,
    ).toBe(404);
    expect(await told(classmate)).toEqual([]);
    const exported = async (person: Person | undefined) =>
      JSON.stringify((await as(person).get("/users/me/export")).body);
    expect(await exported(learner)).toContain("An umbrella word");
    expect(await exported(classmate)).not.toContain("umbrella");

    // The rules of all discussions apply.
    const lock = { is_locked: true };
    expect((await as(learner).put(`/community/threads/${thread.id}`, lock)).status).toBe(403);
    expect((await as(teacher).put(`/community/threads/${thread.id}`, lock)).status).toBe(200);
    expect((await as(learner).post(posts, { body: "One more" })).status).toBe(400);
  });

  it("is deleted with the recipient's account, also the staff's posts, and the counts stay", async () => {
    const leaving = await enrolled();
    const { body: thread } = await begin({ user_id: leaving.id, title: "To you", body: "About your lab" });
    await as(leaving).post(`/community/threads/${thread.id}/posts`, { body: "Mine" });
    const counted = () =>
      world.deps.db.execute(sql`select count(*)::int as posts from discussion_posts where not is_deleted
        and thread_id = ${thread.id} and user_id = ${teacher?.id}`);
    const before = (await counted()).rows;
    expect(await eraseAccountOf(world, leaving)).toBe(204);
    const left = await world.deps.db
      .select({ body: discussionPosts.body })
      .from(discussionPosts)
      .where(eq(discussionPosts.thread_id, thread.id));
    expect(left).toEqual([{ body: "" }, { body: "" }]);
    expect((await counted()).rows).toEqual(before);
    const shown = (await as(teacher).get(`/community/threads/${thread.id}`)).body;
    expect(shown).toMatchObject({ title: null, learner_user_id: null, visible: "STAFF" });
  });
});
