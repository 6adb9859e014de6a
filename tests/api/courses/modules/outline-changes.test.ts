import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { modules } from "../../../../schema/db/courses/modules.ts";
import { universities } from "../../../../schema/db/identity/universities.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

/** A course of two nested hidden modules, each with an item hidden from learners. */
async function openDraft() {
  const university = await make.university();
  await world.deps.db
    .update(universities)
    .set({ time_zone: "Europe/Madrid" })
    .where(eq(universities.id, university.id));
  const course = await make.course(university.id);
  const unit = await make.module(course.id, { title: "Unit", is_published: false });
  const below = await make.module(course.id, {
    title: "Below",
    is_published: false,
    parent_module_id: unit.id,
  });
  const reading = await make.contentItem(unit, university.id, { title: "Reading", is_active: false });
  const task = await make.contentItem(below, university.id, {
    title: "Task",
    is_active: false,
    due_at: "2026-03-20T22:00:00Z",
  });
  const author = world.as(await make.holder("instructor", university.id));
  const path = `/modules/courses/${course.id}/changes`;
  return { university, course, unit, below, reading, task, author, path };
}

type Line = { title: string; state: string; after: object; version: number };
const statesOf = (lines: Line[]) => lines.map(({ title, state }) => [title, state]);

describe("a change of many modules and items", () => {
  it("publishes all content of a module, as its dry run said", async () => {
    const { author, path, unit, below, reading, task } = await openDraft();
    const wanted = { module_ids: [unit.id], with_content: true, is_published: true };
    const trial = await author.post(path, { ...wanted, dry_run: true });
    expect(trial).toMatchObject({ status: 200, body: { dry_run: true, changed: 4, refused: 0 } });
    expect(statesOf(trial.body.lines)).toEqual(
      ["Unit", "Reading", "Below", "Task"].map((title) => [title, "CHANGED"]),
    );
    expect(trial.body.lines[3]).toMatchObject({
      ...{ content_item_id: task.id, module_id: below.id, version: 1 },
      before: { is_published: false, available_from: null, due_at: "2026-03-20T22:00:00.000Z" },
      after: { is_published: true, available_from: null, due_at: "2026-03-20T22:00:00.000Z" },
    });
    expect((await author.get(`/modules/${unit.id}`)).body).toMatchObject({ is_published: false, version: 1 });

    const done = await author.post(path, wanted);
    expect(done.body).toMatchObject({ dry_run: false, changed: 4 });
    for (const { id } of [reading, task])
      expect((await author.get(`/content/${id}`)).body).toMatchObject({ is_active: true, version: 2 });
    for (const { id } of [unit, below])
      expect((await author.get(`/modules/${id}`)).body).toMatchObject({ is_published: true, version: 2 });
    // Repeating it changes nothing and creates no version.
    const again = await author.post(path, wanted);
    expect([again.body.changed, again.body.lines[0].version]).toEqual([0, 2]);
  });

  it("are those alone that are named, and have their dates set, or moved by days of the university", async () => {
    const { author, path, unit, reading, task } = await openDraft();
    const moved = await author.post(path, { content_item_ids: [task.id, reading.id], shift_days: 14 });
    // Daylight saving starts between them.
    expect(moved.body.lines).toMatchObject([
      { title: "Reading", state: "UNCHANGED" },
      { title: "Task", state: "CHANGED", after: { due_at: "2026-04-03T21:00:00.000Z" } },
    ]);
    const set = await author.post(path, {
      module_ids: [unit.id],
      content_item_ids: [task.id],
      available_from: "2026-04-01T07:00:00Z",
      due_at: null,
    });
    expect(set.body.lines.map(({ after }: Line) => after)).toEqual(
      [1, 2].map(() => ({ is_published: false, available_from: "2026-04-01T07:00:00.000Z", due_at: null })),
    );
    expect((await author.get(`/content/${task.id}`)).body).toMatchObject({ due_at: null, version: 3 });
    expect((await author.get(`/content/${reading.id}`)).body).toMatchObject({ available_from: null });
  });

  it("changes nothing if one change is impossible", async () => {
    const { author, path, unit, task, university } = await openDraft();
    const other = await make.module((await make.course(university.id)).id);
    const elsewhere = await author.post(path, { module_ids: [unit.id, other.id], is_published: true });
    expect([elsewhere.status, elsewhere.body.detail]).toEqual([
      400,
      `Outline module_ids '${other.id}' does not exist in this course`,
    ]);
    const late = { module_ids: [unit.id], with_content: true, available_from: "2026-04-01T07:00:00Z" };
    const refused = await author.post(path, late);
    expect([refused.status, refused.body.detail[0].loc]).toEqual([422, ["body", "due_at"]]);
    expect((await author.get(`/modules/${unit.id}`)).body).toMatchObject({
      available_from: null,
      version: 1,
    });
    const trial = await author.post(path, { ...late, dry_run: true });
    expect([trial.body.refused, statesOf(trial.body.lines).at(-1)]).toEqual([1, ["Task", "REFUSED"]]);
    await author.put(`/content/${task.id}`, { due_at: "9999-12-01T22:00:00Z" });
    const far = await author.post(path, { module_ids: [unit.id], with_content: true, shift_days: 99 });
    expect([far.status, far.headers.get("X-Error-Code")]).toEqual([400, "dates_out_of_range"]);
  });

  it("must name them and the change, once, by a caller who may write there, in the version that was read", async () => {
    const { author, path, course, unit, university } = await openDraft();
    for (const [body, at] of [
      [{ is_published: true }, "module_ids"],
      [{ module_ids: [unit.id] }, "is_published"],
      [{ module_ids: [unit.id], shift_days: 7, due_at: null }, "shift_days"],
    ] as const) {
      const reply = await author.post(path, body);
      expect([reply.status, reply.body.detail[0]?.loc], at).toEqual([422, ["body", at]]);
    }
    const wanted = { module_ids: [unit.id], is_published: true };
    expect((await world.as(await make.holder("ta", university.id)).post(path, wanted)).status).toBe(403);
    expect((await author.post(`/modules/courses/${course.id + 1_000_000}/changes`, wanted)).status).toBe(404);
    const stale = await author.post(path, wanted, { headers: { "If-Match": '"7"' } });
    expect(stale.status).toBe(412);
    const [kept] = await world.deps.db.select().from(modules).where(eq(modules.id, unit.id));
    expect(kept?.is_published).toBe(false);
  });
});

describe("a part of an offering's calendar", () => {
  it("is moved alone, and unknown ids move nothing", async () => {
    const { author, course, unit, reading, task } = await openDraft();
    await author.put(`/content/${reading.id}`, { due_at: "2026-03-10T22:00:00Z" });
    const offering = await make.offering(course);
    const path = `/courses/${course.id}/offerings/${offering.id}/dates/move`;
    const moved = await author.post(path, { content_item_ids: [task.id], shift_days: 1 });
    expect(moved.status).toBe(200);
    const own = (lines: { title: string; own: object }[]) =>
      Object.fromEntries(lines.map((line) => [line.title, line.own]));
    expect(own(moved.body)).toEqual({
      Unit: {},
      Reading: {},
      Below: {},
      Task: { due_at: "2026-03-21T22:00:00.000Z" },
    });
    const withAll = await author.post(path, { module_ids: [unit.id], starts_on: "2026-03-11" });
    expect(own(withAll.body)).toMatchObject({
      Reading: { due_at: "2026-03-11T22:00:00.000Z" },
      Task: { due_at: "2026-03-22T22:00:00.000Z" },
    });
    const missing = await author.post(path, { module_ids: [999_999], shift_days: 1 });
    expect([missing.status, missing.body.detail]).toEqual([
      400,
      "Date module_ids '999999' does not exist in this course",
    ]);
  });
});
