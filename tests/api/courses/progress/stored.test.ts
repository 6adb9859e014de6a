import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { recomputeStaleCourseProgress } from "../../../../lib/courses/course-progress/recount.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

/** An offering of a course with two texts, and a learner who has completed one. */
async function openRun() {
  const { course, offering, item, module, university } = await make.topic();
  const other = await make.contentItem(module, university.id);
  const learner = await make.person();
  await make.enrollment(learner.id, offering.id);
  const post = (content_item_id: number, progress_percent = 100) =>
    world
      .as(learner)
      .post("/progress/content", { content_item_id, course_offering_id: offering.id, progress_percent });
  await post(item.id);
  const staff = await make.holder("platform_admin", university.id);
  const get = (path: string) => world.as(learner).get(path);
  /** The percentage from every read. */
  const read = async () => {
    const [[enrollment], home, outline, overview, roster] = await Promise.all([
      get("/enrollments/my-enrollments").then(({ body }) => body),
      get("/users/me/home").then(({ body }) => body.courses[0]),
      get(`/courses/${course.id}/offerings/${offering.id}/outline`).then(({ body }) => body.enrollment),
      get("/users/me/overview").then(({ body }) => body.active_enrollments[0]),
      world
        .as(staff)
        .get(`/courses/${course.id}/offerings/${offering.id}/enrollments`)
        .then(({ body }) => body.find(({ user_id }: { user_id: number }) => user_id === learner.id)),
    ]);
    const single = (await get(`/enrollments/${enrollment.id}`)).body;
    const percents = [enrollment, home, outline, overview, roster, single].map(
      (one) => one?.progress_percent,
    );
    expect(new Set(percents).size, JSON.stringify(percents)).toBe(1);
    return percents[0];
  };
  return { course, offering, item, other, module, university, learner, post, read, staff };
}

it("an enrollment's progress is read alike everywhere, as the last post left it", async () => {
  const { post, other, read } = await openRun();
  expect(await read()).toBe(50);
  await post(other.id, 33.33);
  expect(await read()).toBe(66.66);
  await post(other.id, 10);
  expect(await read()).toBe(55);
});

it("an edit of the outline counts once the job has processed a learner, or with their next post", async () => {
  const { module, university, post, read, other } = await openRun();
  await make.contentItem(module, university.id);
  expect(await read()).toBe(50);
  await post(other.id, 0);
  await post(other.id, 50);
  expect(await read()).toBe(50);
  await make.contentItem(module, university.id);
  await recomputeStaleCourseProgress(world.deps.db);
  expect(await read()).toBe(37.5);
});

it("a finished run keeps its completed items, until it is open again", async () => {
  const { course, offering, module, university, read, staff } = await openRun();
  const end = (ends_at: string | null) =>
    world.as(staff).put(`/courses/${course.id}/offerings/${offering.id}`, { ends_at });
  world.setNow(new Date());
  expect((await end(new Date(Date.now() - 60_000).toISOString())).status).toBe(200);
  await make.contentItem(module, university.id);
  await recomputeStaleCourseProgress(world.deps.db);
  // The home page no longer lists it.
  const kept = () =>
    world.deps.db.execute(sql`
      select progress_percent::float8 as percent from enrollment_progress where course_offering_id = ${offering.id}`);
  expect((await kept()).rows).toEqual([{ percent: 50 }]);
  expect((await end(null)).status).toBe(200);
  await recomputeStaleCourseProgress(world.deps.db);
  expect(await read()).toBe(33.33);
});

it("progress that is not stored yet is computed when it is read", async () => {
  const { offering, read } = await openRun();
  await world.deps.db.execute(sql`delete from enrollment_progress where course_offering_id = ${offering.id}`);
  expect(await read()).toBe(50);
});

it("an edit writes one row for its course, however many runs and people it has", async () => {
  const { course, module, university } = await openRun();
  for (let run = 0; run < 3; run += 1) {
    const { id } = await make.offering(course);
    await make.enrollment((await make.person()).id, id);
  }
  await recomputeStaleCourseProgress(world.deps.db);
  await make.contentItem(module, university.id);
  const { rows } = await world.deps.db.execute(sql`select course_id from stale_outlines`);
  expect(rows).toEqual([{ course_id: course.id }]);
});
