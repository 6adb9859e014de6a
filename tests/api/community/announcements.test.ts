import { beforeAll, describe, expect, it } from "vitest";
import { createNotificationsAndQueueMails } from "../../../lib/courses/notifications/process-notifications.ts";
import type { Client } from "../../support/client.ts";
import { makersOf } from "../../support/makers.ts";
import { noDeadline } from "../../support/no-deadline.ts";
import { openWorld } from "../../support/world.ts";

// Long-lived tokens: the clock advances by days.
const world = openWorld({ ACCESS_TOKEN_EXPIRE_MINUTES: "10000" });
const make = makersOf(world);

const now = "2026-03-10T12:00:00.000Z";
const later = "2026-03-12T08:00:00.000Z";
const news = { title: "<b>Room 7</b>", body: "<script>alert(1)</script>" };

let topic: Awaited<ReturnType<typeof make.topic>>;
let learner: Client;
let staff: Client;
let admin: Client;
let stranger: Client;
let inOffering: string;
let inUniversity: string;

beforeAll(async () => {
  world.setNow(now);
  topic = await make.topic();
  const { university, offering } = topic;
  const person = await make.person();
  await make.enrollment(person.id, offering.id);
  learner = world.as(person);
  staff = world.as(await make.holder("ta", university.id));
  admin = world.as(await make.holder("university_admin", university.id));
  stranger = world.as(await make.person());
  inOffering = `/community/offerings/${offering.id}/announcements`;
  inUniversity = `/community/universities/${university.id}/announcements`;
});

const announce = async (client: Client, path: string, more: object = {}) => {
  const made = await client.post(path, { ...news, ...more });
  expect(made.status).toBe(201);
  return { ...made.body, path: `/community/announcements/${made.body.id}` };
};
const idsOf = async (client: Client, path = "/community/announcements") =>
  (await client.get(path)).body.map(({ id }: { id: number }) => id);

describe("an announcement", () => {
  it("of an offering is for its people, as the text that it is, until it is taken back", async () => {
    const made = await announce(staff, inOffering);
    expect(made).toMatchObject({
      ...news,
      course_offering_id: topic.offering.id,
      published_at: now,
      read_at: null,
    });
    expect((await learner.get(made.path)).body).toMatchObject(news);
    expect([await idsOf(learner), await idsOf(learner, inOffering)]).toEqual([[made.id], [made.id]]);
    expect((await learner.delete(made.path)).status).toBe(403);
    expect((await staff.delete(made.path)).status).toBe(204);
    expect((await learner.get(made.path)).status).toBe(404);
    expect((await admin.get("/admin/audit?action=announcement.deleted")).body).toMatchObject([
      { details: { announcement_id: made.id } },
    ]);
  });

  it("is closed to others: 403 if they see the offering or the university, 404 by its id", async () => {
    const [one, all] = [await announce(staff, inOffering), await announce(admin, inUniversity)];
    const statuses = [];
    for (const request of [
      stranger.get(inOffering),
      stranger.get(inUniversity),
      stranger.get(one.path),
      stranger.put(`${all.path}/read`),
      stranger.post(inOffering, news),
      learner.post(inOffering, news),
      staff.post(inUniversity, news),
      learner.put(all.path, { title: "Mine" }),
      staff.put(all.path, { title: "Mine" }),
      stranger.post("/community/offerings/999999/announcements", news),
      stranger.post("/community/universities/999999/announcements", news),
      stranger.get("/community/universities/999999/announcements"),
    ])
      statuses.push((await request).status);
    expect(statuses).toEqual([403, 403, 404, 404, 403, 403, 403, 403, 403, 404, 404, 404]);
    expect(await idsOf(stranger)).toEqual([]);
    for (const { path } of [one, all]) await admin.delete(path);
  });

  it("of an offering is for its teachers as long as they hold a role there", async () => {
    const teacher = await make.holder("ta", topic.university.id);
    const instructors = `/courses/${topic.course.id}/offerings/${topic.offering.id}/instructors`;
    expect((await admin.post(instructors, { user_id: teacher.id })).status).toBe(201);
    const made = await announce(staff, inOffering);
    expect(await idsOf(world.as(teacher))).toEqual([made.id]);
    const roles = `/universities/${topic.university.id}/roles`;
    const held = (await admin.get(roles)).body.find(
      (role: { user_id: number }) => role.user_id === teacher.id,
    );
    expect((await admin.delete(`${roles}/${held.id}`)).status).toBe(204);
    await createNotificationsAndQueueMails(world.deps, new AbortController().signal);
    const told = (await world.as(teacher).get("/users/me/notifications")).body;
    expect([await idsOf(world.as(teacher)), told.notifications]).toEqual([[], []]);
    await staff.delete(made.path);
  });

  it("that is published later is seen by staff alone until then, also when it was seen before", async () => {
    const made = await announce(staff, inOffering, { published_at: later });
    expect([await idsOf(learner, inOffering), await idsOf(staff, inOffering)]).toEqual([[], [made.id]]);
    expect([(await learner.get(made.path)).status, (await staff.get(made.path)).status]).toEqual([404, 200]);
    world.setNow(later);
    expect(await idsOf(learner)).toEqual([made.id]);
    const moved = await staff.put(made.path, { published_at: "2026-04-01T00:00:00Z" });
    expect(moved.body).toMatchObject({ title: news.title, updated_at: later });
    expect(await idsOf(learner)).toEqual([]);
    world.setNow(now);
    await staff.delete(made.path);
  });

  it("is unread until its reader says otherwise, at home, in the list and among the notifications", async () => {
    const [one, all] = [await announce(staff, inOffering), await announce(admin, inUniversity)];
    const home = async () => (await learner.get("/users/me/home")).body;
    expect(await home()).toMatchObject({ unread_announcements: 2, unread_notifications: 0 });
    await createNotificationsAndQueueMails(world.deps, noDeadline());
    expect((await learner.get("/users/me/notifications")).body).toMatchObject({
      unread_count: 2,
      notifications: [
        { kind: "announcement", title: news.title, by_name: expect.stringMatching(/^Person-/) },
        { kind: "announcement", by_name: expect.stringMatching(/^Person-/) },
      ],
    });
    expect((await learner.put(`${one.path}/read`)).status).toBe(204);
    expect(await idsOf(learner, "/community/announcements?unread=true")).toEqual([all.id]);
    expect((await learner.get(one.path)).body.read_at).toBe(now);
    expect(await home()).toMatchObject({ unread_announcements: 1, unread_notifications: 1 });
    for (const { path } of [one, all]) await admin.delete(path);
    expect((await learner.get("/users/me/notifications")).body.notifications).toEqual([]);
  });
});
