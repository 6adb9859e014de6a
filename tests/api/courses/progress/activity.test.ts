import { asc, eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { activityEvents } from "../../../../schema/db/courses/activity.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

async function learning(time_zone = "UTC") {
  const made = await make.topic();
  const learner = await make.person({ time_zone });
  await make.enrollment(learner.id, made.offering.id);
  /** A new token per request: tokens expire after half an hour, and tests advance the clock. */
  const client = () => world.as(learner);
  const post = (progress_percent: number) =>
    client().post("/progress/content", {
      content_item_id: made.item.id,
      course_offering_id: made.offering.id,
      progress_percent,
    });
  const streakAfter = async (moment: string) => {
    world.setNow(moment);
    expect((await post(10)).status).toBe(200);
    return (await client().get("/users/me")).body.current_streak_days;
  };
  return { ...made, learner, client, post, streakAfter };
}

const eventsOf = (person: { id: number }) =>
  world.deps.db
    .select()
    .from(activityEvents)
    .where(eq(activityEvents.user_id, person.id))
    .orderBy(asc(activityEvents.id));

it("every post is an event with person, object, place and time, and completes the object only once", async () => {
  world.setNow("2026-03-10T12:00:00.000Z");
  const { university, offering, module, item, learner, client, post } = await learning();
  for (const percent of [50, 100, 100]) await post(percent);
  await client().post("/progress/modules", {
    module_id: module.id,
    course_offering_id: offering.id,
    progress_percent: 5,
  });
  const events = await eventsOf(learner);
  expect(events.map(({ verb }) => verb)).toEqual(["progressed", "completed", "progressed", "progressed"]);
  const where = { university_id: university.id, course_offering_id: offering.id };
  const occurred_at = "2026-03-10T12:00:00.000Z";
  const aboutItem = { object_type: "content_item", object_id: item.id, content_item_id: item.id };
  expect(events[0]).toMatchObject({ ...where, ...aboutItem, occurred_at });
  expect(events[3]).toMatchObject({
    ...where,
    object_type: "module",
    object_id: module.id,
    content_item_id: null,
  });
});

it("a rejected post leaves no event and no streak", async () => {
  const { item, offering } = await learning();
  const stranger = await make.person();
  await world.as(stranger).post("/progress/content", {
    content_item_id: item.id,
    course_offering_id: offering.id,
    progress_percent: 10,
  });
  expect(await eventsOf(stranger)).toEqual([]);
  expect((await world.as(stranger).get("/users/me")).body).toMatchObject({
    current_streak_days: 0,
    last_activity_date: null,
  });
});

it("the same day keeps the streak, the next adds one, a gap starts at 1", async () => {
  const { client, streakAfter } = await learning();
  expect(await streakAfter("2026-03-10T09:00:00Z")).toBe(1);
  expect(await streakAfter("2026-03-10T23:59:59Z")).toBe(1);
  expect(await streakAfter("2026-03-11T00:00:00Z")).toBe(2);
  expect(await streakAfter("2026-03-12T12:00:00Z")).toBe(3);
  expect(await streakAfter("2026-03-14T12:00:00Z")).toBe(1);
  world.setNow("2026-03-16T12:00:00Z");
  expect((await client().get("/users/me")).body).toMatchObject({
    current_streak_days: 0,
    last_activity_date: "2026-03-14",
  });
});

it("days follow the person's time zone across clock changes", async () => {
  const kiritimati = await learning("Pacific/Kiritimati");
  expect(await kiritimati.streakAfter("2026-03-10T09:59:00Z")).toBe(1);
  expect(await kiritimati.streakAfter("2026-03-10T10:00:00Z")).toBe(2);
  const london = await learning("Europe/London");
  expect(await london.streakAfter("2026-03-28T23:30:00Z")).toBe(1);
  expect(await london.streakAfter("2026-03-29T22:30:00Z")).toBe(2);
  expect(await london.streakAfter("2026-03-29T23:30:00Z")).toBe(3);
});

it("a clock that moves back keeps the streak", async () => {
  const { client, streakAfter } = await learning();
  await streakAfter("2026-03-10T12:00:00Z");
  expect(await streakAfter("2026-03-11T12:00:00Z")).toBe(2);
  expect(await streakAfter("2026-03-09T12:00:00Z")).toBe(2);
  expect((await client().get("/users/me")).body.last_activity_date).toBe("2026-03-11");
});

it("concurrent activities add one day", async () => {
  const { client, post, streakAfter } = await learning();
  await streakAfter("2026-03-10T12:00:00Z");
  world.setNow("2026-03-11T12:00:00Z");
  await Promise.all(Array.from({ length: 8 }, () => post(20)));
  expect((await client().get("/users/me")).body.current_streak_days).toBe(2);
});
