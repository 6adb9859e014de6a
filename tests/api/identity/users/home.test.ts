import { beforeAll, describe, expect, it } from "vitest";
import { recomputeStaleCourseProgress } from "../../../../lib/courses/course-progress/recount.ts";
import { courseOfferingInstructors } from "../../../../schema/db/courses/offerings.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

const now = "2026-03-10T12:00:00.000Z";
let learner: { id: number };
let topic: Awaited<ReturnType<typeof make.topic>>;
let second: { id: number };
let later: { id: number };

const homeOf = async (person: { id: number }, query = "") =>
  (await world.as(person).get(`/users/me/home${query}`)).body;

const complete = (item: { id: number }) =>
  world.as(learner).post("/progress/content", {
    content_item_id: item.id,
    course_offering_id: topic.offering.id,
    progress_percent: 100,
  });

beforeAll(async () => {
  world.setNow(now);
  learner = await make.person();
  topic = await make.topic();
  const { course, university, offering, module } = topic;
  second = await make.contentItem(module, university.id, { due_at: "2026-03-20T00:00:00.000Z" });
  const week = await make.module(course.id, { due_at: "2026-03-12T00:00:00.000Z" });
  const nested = await make.module(course.id, {
    parent_module_id: week.id,
    requires_module_ids: [module.id],
  });
  later = await make.contentItem(nested, university.id, { type: "video" });
  await make.contentItem(module, university.id, { is_active: false, due_at: "2026-03-11T00:00:00.000Z" });
  const draft = await make.module(course.id, { is_published: false });
  await make.contentItem(draft, university.id, { due_at: "2026-03-11T00:00:00.000Z" });
  const teacher = await make.person({ full_name: "Grace Teacher" });
  await world.deps.db
    .insert(courseOfferingInstructors)
    .values({ course_offering_id: offering.id, user_id: teacher.id });
  await make.enrollment(learner.id, offering.id);
});

describe("the home screen", () => {
  it("has the courses with progress, teachers, dates and the first open item that is left", async () => {
    const { courses } = await homeOf(learner);
    expect(courses).toMatchObject([
      {
        status: "ACTIVE",
        position: null,
        progress_percent: 0,
        course: { id: topic.course.id, code: topic.course.code, university_id: topic.university.id },
        course_offering: { id: topic.offering.id, term_name: topic.offering.term_name, ends_at: null },
        teachers: [{ full_name: "Grace Teacher" }],
        next_item: { id: topic.item.id, module_id: topic.module.id, content_type: "text", due_at: null },
      },
    ]);
  });

  it("shows due items by their date or the nearest module's, and marks locked ones", async () => {
    const { due } = await homeOf(learner);
    expect(due).toMatchObject([
      { id: later.id, content_type: "video", due_at: "2026-03-12T00:00:00.000Z", is_locked: true },
      { id: second.id, due_at: "2026-03-20T00:00:00.000Z", is_locked: false, course_id: topic.course.id },
    ]);
  });

  it("continues after a completed item: the next item, and items that a completed module unlocks", async () => {
    await complete(topic.item);
    const [first] = (await homeOf(learner)).courses;
    expect(first).toMatchObject({ progress_percent: 33.33, next_item: { id: second.id } });
    await complete(second);
    const home = await homeOf(learner);
    expect(home.courses[0].next_item).toMatchObject({ id: later.id });
    expect(home.due).toMatchObject([{ id: later.id, is_locked: false }]);
  });

  it("lists overdue items after future ones, and nothing unpublished", async () => {
    world.setNow("2026-03-13T12:00:00.000Z");
    const again = await make.contentItem(topic.module, topic.university.id, {
      due_at: "2026-04-01T00:00:00.000Z",
    });
    expect((await homeOf(learner)).due.map(({ id }: { id: number }) => id)).toEqual([again.id, later.id]);
    world.setNow(now);
    await recomputeStaleCourseProgress(world.deps.db);
  });

  it("has waiting lists with the position in line, in windows, without dropped or completed courses", async () => {
    const waiting = await make.topic();
    const person = await make.person();
    await make.enrollment((await make.person()).id, waiting.offering.id, "WAITLISTED");
    await make.enrollment(person.id, waiting.offering.id, "WAITLISTED");
    await make.enrollment(person.id, topic.offering.id, "DROPPED");
    const { courses, due } = await homeOf(person);
    expect(courses).toMatchObject([{ status: "WAITLISTED", position: 2, next_item: null }]);
    expect(due).toEqual([]);
    expect((await homeOf(person, "?skip=1")).courses).toEqual([]);
    expect((await world.as().get("/users/me/home")).status).toBe(401);
  });
});

describe("an offering's outline", () => {
  const path = () => `/courses/${topic.course.id}/offerings/${topic.offering.id}/outline`;
  const outlineFor = async (person?: { id: number }, query = "") =>
    (await world.as(person).get(path() + query)).body;

  it("is the tree with its items, the caller's progress, and the reason of each lock", async () => {
    const fresh = await make.person();
    await make.enrollment(fresh.id, topic.offering.id);
    const outline = await outlineFor(fresh);
    expect(outline).toMatchObject({
      course: { id: topic.course.id },
      course_offering: { id: topic.offering.id },
      user_id: fresh.id,
      enrollment: { status: "ACTIVE", progress_percent: 0 },
      total_modules: 3,
    });
    const [first, week, nested] = outline.modules;
    expect(first).toMatchObject({ id: topic.module.id, depth: 0, computed_percent: 0, lock: null });
    expect(first.items[0]).toMatchObject({
      id: topic.item.id,
      content_type: "text",
      progress_percent: 0,
      lock: null,
    });
    expect(first.items[0]).not.toHaveProperty("data_json");
    expect(week).toMatchObject({ lock: null, items: [] });
    const lock = { reason: "MODULES_INCOMPLETE", available_from: null, module_ids: [topic.module.id] };
    expect(nested).toMatchObject({ parent_module_id: week.id, lock, items: [{ id: later.id, lock }] });
  });

  it("shows the caller's completed items", async () => {
    const outline = await outlineFor(learner);
    const [item] = outline.modules[0].items;
    expect(item).toMatchObject({
      id: topic.item.id,
      progress_percent: 100,
      completed_at: now,
      last_interacted_at: now,
    });
    expect(outline.enrollment.progress_percent).toBe(50);
  });

  it("locks future modules with their subtrees, and everything if an enrollment is required", async () => {
    const { course, university, offering, module } = await make.topic({ access: "ENROLLED" });
    const early = await make.module(course.id, { available_from: "2026-03-11T00:00:00.000Z" });
    const below = await make.module(course.id, { parent_module_id: early.id });
    await make.contentItem(below, university.id, { available_from: "2026-03-12T00:00:00.000Z" });
    const person = await make.person();
    const read = async (one?: { id: number }) =>
      (await world.as(one).get(`/courses/${course.id}/offerings/${offering.id}/outline`)).body.modules;
    const required = { reason: "ENROLLMENT_REQUIRED" };
    expect((await read(person))[0]).toMatchObject({
      id: module.id,
      lock: required,
      items: [{ lock: required }],
    });
    expect((await read())[0]).toMatchObject({ lock: required });
    await make.enrollment(person.id, offering.id);
    expect(await read(person)).toMatchObject([
      { lock: null },
      { lock: { reason: "NOT_AVAILABLE_YET", available_from: "2026-03-11T00:00:00.000Z", module_ids: [] } },
      {
        lock: { reason: "NOT_AVAILABLE_YET", available_from: "2026-03-11T00:00:00.000Z" },
        items: [{ lock: { reason: "NOT_AVAILABLE_YET", available_from: "2026-03-12T00:00:00.000Z" } }],
      },
    ]);
  });

  it("shows staff unpublished items, no locks, and a learner's progress", async () => {
    const ta = await make.holder("ta", topic.university.id);
    const own = await outlineFor(ta);
    expect(own).toMatchObject({ total_modules: 4, enrollment: null });
    expect(own.modules.every(({ lock }: { lock: unknown }) => lock === null)).toBe(true);
    const theirs = await outlineFor(ta, `?user_id=${learner.id}`);
    expect(theirs).toMatchObject({
      user_id: learner.id,
      enrollment: { progress_percent: 50 },
      total_modules: 4,
    });
    expect(theirs.modules[0].items[0]).toMatchObject({ progress_percent: 100 });
  });

  it("shows another person's progress to staff of the course only", async () => {
    const query = `?user_id=${learner.id}`;
    const stranger = await make.holder("university_admin", (await make.university()).id);
    const classmate = await make.person();
    await make.enrollment(classmate.id, topic.offering.id);
    for (const person of [undefined, stranger, classmate])
      expect((await world.as(person).get(path() + query)).status).toBe(403);
    expect((await world.as(learner).get(path() + query)).status).toBe(200);
    const ta = await make.holder("ta", topic.university.id);
    expect((await world.as(ta).get(`${path()}?user_id=${stranger.id}`)).status).toBe(404);
    expect((await world.as(ta).get(`${path()}?person=1`)).status).toBe(422);
  });

  it("has windows of modules", async () => {
    const { modules, total_modules } = await outlineFor(learner, "?skip=1&limit=1");
    expect([modules.length, total_modules]).toEqual([1, 3]);
  });
});
