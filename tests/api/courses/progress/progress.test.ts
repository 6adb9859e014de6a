import { expect, it } from "vitest";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

async function learning() {
  const made = await make.topic();
  const learner = await make.person();
  await make.enrollment(learner.id, made.offering.id, "ACTIVE", { enrolled_at: "2026-03-01T08:00:00Z" });
  /** A new token per request: tokens expire after half an hour, and tests advance the clock. */
  const client = () => world.as(learner);
  const course_offering_id = made.offering.id;
  const ofModule = (progress_percent: number, more: object = {}) =>
    client().post("/progress/modules", {
      module_id: made.module.id,
      course_offering_id,
      progress_percent,
      ...more,
    });
  const ofItem = (progress_percent: number, more: object = {}) =>
    client().post("/progress/content", {
      content_item_id: made.item.id,
      course_offering_id,
      progress_percent,
      ...more,
    });
  return { ...made, learner, client, ofModule, ofItem };
}

it("progress in a module is created, then updated", async () => {
  world.setNow("2026-03-10T12:00:00.000Z");
  const { learner, module, offering, ofModule } = await learning();
  const first = await ofModule(12.5);
  expect(first.status).toBe(200);
  expect(first.body).toEqual({
    id: expect.any(Number),
    user_id: learner.id,
    course_offering_id: offering.id,
    module_id: module.id,
    started_at: "2026-03-10T12:00:00.000Z",
    completed_at: null,
    progress_percent: 12.5,
    computed_percent: 0,
  });
  world.setNow("2026-03-10T13:00:00.000Z");
  expect((await ofModule(40, { completed_at: null })).body).toEqual({ ...first.body, progress_percent: 40 });
});

it("100 percent completes now, keeps its first time, and null below it clears the time", async () => {
  world.setNow("2026-03-10T12:00:00.000Z");
  const { ofModule, ofItem } = await learning();
  for (const post of [ofModule, ofItem]) {
    world.setNow("2026-03-10T12:00:00.000Z");
    expect((await post(100)).body.completed_at).toBe("2026-03-10T12:00:00.000Z");
    world.setNow("2026-03-11T12:00:00.000Z");
    expect((await post(100, { completed_at: null })).body.completed_at).toBe("2026-03-10T12:00:00.000Z");
    expect((await post(60)).body.completed_at).toBe("2026-03-10T12:00:00.000Z");
    expect((await post(60, { completed_at: null })).body.completed_at).toBe(null);
    const said = { completed_at: "2026-03-09T10:00:00+02:00" };
    expect((await post(100, said)).body.completed_at).toBe("2026-03-09T08:00:00.000Z");
  }
});

it("each post about an item below 100 percent is an attempt", async () => {
  world.setNow("2026-03-10T12:00:00.000Z");
  const { ofItem } = await learning();
  const attempts = [];
  for (const percent of [0, 50, 100, 100, 30, 40]) attempts.push((await ofItem(percent)).body.attempts_count);
  expect(attempts).toEqual([1, 2, 3, 3, 3, 4]);
  world.setNow("2026-03-10T12:30:00.000Z");
  expect((await ofItem(40)).body).toMatchObject({
    first_started_at: "2026-03-10T12:00:00.000Z",
    last_interacted_at: "2026-03-10T12:30:00.000Z",
  });
});

it("concurrent first posts make one row, and every attempt counts", async () => {
  const { client, ofModule, ofItem } = await learning();
  const posts = Array.from({ length: 10 }, (_, turn) => [ofItem(turn), ofModule(turn)]).flat();
  expect((await Promise.all(posts)).map(({ status }) => status)).toEqual(posts.map(() => 200));
  const items = (await client().get("/progress/content/my-progress")).body;
  expect(items).toHaveLength(1);
  expect(items[0].attempts_count).toBe(10);
  expect((await client().get("/progress/modules/my-progress")).body).toHaveLength(1);
  expect((await client().get("/users/me")).body.current_streak_days).toBe(1);
});

it("without an enrollment, or with a dropped one, progress is a 403", async () => {
  const { module, item, offering } = await learning();
  const stranger = await make.person();
  const dropped = await make.person();
  await make.enrollment(dropped.id, offering.id, "DROPPED");
  const posted = { course_offering_id: offering.id, progress_percent: 10 };
  for (const person of [stranger, dropped]) {
    const ofModule = await world.as(person).post("/progress/modules", { ...posted, module_id: module.id });
    expect([ofModule.status, ofModule.body.detail]).toEqual([403, "Not enrolled in this offering"]);
    const ofItem = await world.as(person).post("/progress/content", { ...posted, content_item_id: item.id });
    expect([ofItem.status, ofItem.body.detail]).toEqual([403, "Not enrolled in this offering"]);
  }
  const completed = await make.person();
  await make.enrollment(completed.id, offering.id, "COMPLETED");
  const again = await world.as(completed).post("/progress/modules", { ...posted, module_id: module.id });
  expect(again.status).toBe(200);
  expect((await world.as().post("/progress/modules", posted)).status).toBe(401);
});

it("the module or item must be one of the offering's course that the caller sees", async () => {
  const { course, university, offering, ofModule, ofItem } = await learning();
  const foreign = await make.topic();
  const hidden = await make.module(course.id, { is_published: false });
  const below = await make.module(course.id, { parent_module_id: hidden.id });
  const inside = await make.contentItem(below, university.id);
  for (const module_id of [foreign.module.id, hidden.id, below.id, 2_147_483_647]) {
    const reply = await ofModule(10, { module_id });
    expect(reply.status).toBe(400);
    expect(reply.body.detail).toBe(`Progress module_id '${module_id}' is not part of this offering's course`);
  }
  for (const content_item_id of [foreign.item.id, inside.id, 2_147_483_647])
    expect((await ofItem(10, { content_item_id })).status).toBe(400);
  const unknown = await ofModule(10, { course_offering_id: 2_147_483_647 });
  expect(unknown.status).toBe(400);
  expect(unknown.body.detail).toBe("Progress course_offering_id '2147483647' does not exist");
  const unpublished = await make.course(university.id, { is_published: false });
  const unseen = await make.offering(unpublished);
  expect((await ofModule(10, { course_offering_id: unseen.id })).status).toBe(400);
  expect((await ofModule(10, { course_offering_id: offering.id })).status).toBe(200);
});

it("a percentage has two decimals and lies between 0 and 100", async () => {
  const { ofItem } = await learning();
  expect((await ofItem(33.33)).body.progress_percent).toBe(33.33);
  for (const wrong of [-0.01, 100.01, 33.333]) {
    const reply = await ofItem(wrong);
    expect(reply.status).toBe(422);
    expect(reply.body.detail[0].loc).toEqual(["body", "progress_percent"]);
  }
  expect((await ofItem(10, { progress_percent: null })).status).toBe(422);
  const withoutOffset = await ofItem(10, { completed_at: "2026-03-10T12:00:00" });
  expect(withoutOffset.body.detail[0]).toMatchObject({
    loc: ["body", "completed_at"],
    type: "datetime_parsing",
  });
});

it("the caller's progress is listed by offering and object, or for one named offering", async () => {
  const { course, learner, client, module, item, ofModule, ofItem } = await learning();
  const other = await make.offering(course);
  await make.enrollment(learner.id, other.id);
  const second = await make.module(course.id);
  await ofModule(10, { module_id: second.id });
  await ofModule(20);
  await ofModule(30, { course_offering_id: other.id });
  await ofItem(40);
  const listed = (await client().get("/progress/modules/my-progress")).body;
  expect(listed.map((one: { module_id: number }) => one.module_id)).toEqual([
    module.id,
    second.id,
    module.id,
  ]);
  const named = await client().get(`/progress/modules/my-progress?course_offering_id=${other.id}`);
  expect(named.body).toEqual(listed.slice(2));
  expect((await client().get("/progress/modules/my-progress?skip=1&limit=1")).body).toEqual(
    listed.slice(1, 2),
  );
  const items = (await client().get("/progress/content/my-progress")).body;
  expect(items).toMatchObject([{ content_item_id: item.id, progress_percent: 40 }]);
  expect((await client().get(`/progress/content/my-progress?course_offering_id=${other.id}`)).body).toEqual(
    [],
  );
  expect((await world.as(await make.person()).get("/progress/modules/my-progress")).body).toEqual([]);
  expect((await client().get("/progress/content/my-progress?course_offering_id=x")).status).toBe(422);
});
