import { eq, sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { labSubmissions } from "../../../schema/db/assessment/lab-submissions.ts";
import { contentItems } from "../../../schema/db/courses/content-items.ts";
import type { Person } from "../../support/client.ts";
import { openLab } from "../../support/lab.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

let opened: Awaited<ReturnType<typeof openLab>>;
let calendar: string;

/** The course ran last year and its lab was due then. This is the first day of another offering. */
beforeAll(async () => {
  world.setNow("2026-03-02T09:00:00Z");
  opened = await openLab(world, { due_at: "2025-10-01T22:00:00Z" });
  calendar = `/courses/${opened.course.id}/offerings/${opened.offering.id}/dates`;
});

const staff = () => world.as(opened.teacher);
const set = (dates: object[]) => staff().put(calendar, { dates });
const lineOf = (reply: { body: { content_item_id: number | null }[] }, item: number) =>
  reply.body.find(({ content_item_id }) => content_item_id === item);
const outlineItem = async (person: Person, item: number) => {
  const path = `/courses/${opened.course.id}/offerings/${opened.offering.id}/outline`;
  const { modules } = (await world.as(person).get(path)).body;
  return modules
    .flatMap(({ items }: { items: { id: number }[] }) => items)
    .find(({ id }: { id: number }) => id === item);
};

describe("the dates of an offering", () => {
  it("count work on the first day of a further run as on time, everywhere", async () => {
    const { submit, lab, paper, module, learner, mine, gradebook } = opened;
    const late = (await submit({ body: "first" })).body;
    expect(late).toMatchObject({ is_late: true, due_at: "2025-10-01T22:00:00.000Z" });
    const due = "2026-03-20T22:00:00.000Z";
    const reply = await set([
      { content_item_id: lab.id, due_at: due },
      { module_id: module.id, due_at: "2026-04-01T22:00:00Z" },
    ]);
    expect(reply.status).toBe(200);
    expect(lineOf(reply, lab.id)).toMatchObject({
      due_at: due,
      own: { due_at: due },
      course: { due_at: "2025-10-01T22:00:00.000Z" },
      content_type: "engineering_lab",
      depth: 1,
    });
    expect(lineOf(reply, paper.id)).toMatchObject({ due_at: "2026-04-01T22:00:00.000Z", own: {} });
    // Work late by last year's date is on time, as is the next.
    expect((await opened.read(late.id)).body).toMatchObject({ is_late: false, due_at: due });
    expect((await submit({ body: "second" })).body).toMatchObject({ is_late: false, due_at: due });
    expect(await outlineItem(learner, lab.id)).toMatchObject({ due_at: due });
    const dueIn = (items: { content_item_id: number; due_at: string }[]) =>
      items.find(({ content_item_id }) => content_item_id === lab.id)?.due_at;
    expect(dueIn((await mine()).body.items)).toBe(due);
    expect(dueIn((await gradebook()).body.columns)).toBe(due);
    const home = (await world.as(learner).get("/users/me/home")).body;
    expect(home.due).toMatchObject([{ id: paper.id, due_at: "2026-04-01T22:00:00.000Z" }]);
    // The course and its other offerings keep their dates.
    const [kept] = await world.deps.db.select().from(contentItems).where(eq(contentItems.id, lab.id));
    expect(kept?.due_at).toBe("2025-10-01T22:00:00.000Z");
  });

  it("lock later items there, for learners, even if another offering opens them earlier", async () => {
    const { lab, paper, learner, course, submit } = opened;
    await set([{ content_item_id: paper.id, available_from: "2026-03-05T09:00:00Z" }]);
    const early = await submit({ body: "early" }, learner, paper);
    expect([early.status, early.body.detail]).toEqual([403, "Not available yet"]);
    expect((await world.as(learner).get(`/content/${paper.id}`)).status).toBe(403);
    expect(await outlineItem(learner, paper.id)).toMatchObject({
      available_from: "2026-03-05T09:00:00.000Z",
      lock: { reason: "NOT_AVAILABLE_YET", available_from: "2026-03-05T09:00:00.000Z" },
    });
    const listed = (await world.as(learner).get(`/content/modules/${opened.module.id}/content`))
      .body as object[];
    expect(listed.map((one) => ["id", "data_json"].map((key) => key in one))).toEqual([
      [true, true],
      [true, false],
    ]);
    expect((await world.as(learner).post("/chat/sessions", { content_item_id: paper.id })).status).toBe(403);
    // Another offering is open, but submissions are closed here.
    const other = await make.offering(course);
    await make.enrollment(learner.id, other.id);
    expect((await world.as(learner).get(`/content/${paper.id}`)).status).toBe(200);
    expect((await submit({ body: "early" }, learner, paper)).status).toBe(403);
    await set([{ content_item_id: paper.id }]);
    expect((await submit({ body: "now" }, learner, paper)).status).toBe(201);
    expect((await outlineItem(learner, lab.id)).lock).toBeNull();
  });

  it("move in bulk, by days or to another first day, and copies have theirs moved", async () => {
    const { course, lab } = opened;
    await set([{ content_item_id: lab.id, due_at: "2026-03-20T22:00:00Z" }]);
    const moved = await staff().post(`${calendar}/move`, { shift_days: 7 });
    expect(moved.status).toBe(200);
    expect(lineOf(moved, lab.id)).toMatchObject({ due_at: "2026-03-27T22:00:00.000Z" });
    const body = { same_course: true, shift_days: 28 };
    const run = (await staff().post(calendar.replace(/dates$/, "copy"), body)).body;
    expect(
      lineOf(await staff().get(`/courses/${course.id}/offerings/${run.id}/dates`), lab.id),
    ).toMatchObject({
      own: { due_at: "2026-04-24T22:00:00.000Z" },
    });
    const first = await staff().get(`${calendar}?limit=1`);
    expect(first.body).toMatchObject([{ content_item_id: null, depth: 0 }]);
    expect(first.headers.get("link")).toContain("skip=1");
    const back = await staff().post(`${calendar}/move`, { starts_on: "2026-03-20" });
    expect(lineOf(back, lab.id)).toMatchObject({ due_at: "2026-03-20T22:00:00.000Z" });
  });

  it("are rejected if they are impossible, and from callers who are not staff of the offering", async () => {
    const { lab, learner, assistant, university } = opened;
    const due_at = "2026-03-20T22:00:00Z";
    const elsewhere = await make.topic();
    const one = { content_item_id: lab.id, due_at };
    const bad: [object, number, unknown][] = [
      [{ dates: [] }, 422, ["body", "dates"]],
      [{ dates: [{ due_at }] }, 422, ["body", "dates", 0, "content_item_id"]],
      [{ dates: [{ ...one, module_id: 1 }] }, 422, ["body", "dates", 0, "module_id"]],
      [{ dates: [one, one] }, 422, ["body", "dates", 1, "content_item_id"]],
      [{ dates: [{ ...one, available_from: due_at }] }, 422, ["body", "dates", 0, "due_at"]],
      [{ dates: [{ ...one, due_at: "tomorrow" }] }, 422, ["body", "dates", 0, "due_at"]],
      [{ dates: [{ content_item_id: elsewhere.item.id, due_at }] }, 400, undefined],
      [{ dates: [one, { module_id: elsewhere.module.id, due_at }] }, 400, undefined],
    ];
    for (const [body, status, loc] of bad) {
      const reply = await staff().put(calendar, body);
      expect([reply.status, reply.body.detail[0]?.loc], JSON.stringify(body)).toEqual([status, loc]);
    }
    const unknown = await set([{ content_item_id: elsewhere.item.id, due_at }]);
    expect(unknown.body.detail).toBe(
      `Date content_item_id '${elsewhere.item.id}' does not exist in this course`,
    );
    for (const body of [{}, { shift_days: 1, starts_on: "2026-03-20" }, { shift_days: 40_000 }])
      expect((await staff().post(`${calendar}/move`, body)).status).toBe(422);
    expect((await staff().post(`${calendar}/move`, { starts_on: "9999-12-31" })).status).toBe(400);
    expect((await staff().get(calendar.replace(/\d+\/dates/, "999999/dates"))).status).toBe(404);
    const wrongCourse = `/courses/${elsewhere.course.id}/offerings/${opened.offering.id}/dates`;
    expect((await staff().put(wrongCourse, { dates: [one] })).status).toBe(404);
    const puts = (person: Person) => world.as(person).put(calendar, { dates: [one] });
    expect((await world.as(assistant).get(calendar)).status).toBe(200);
    expect((await puts(assistant)).status).toBe(403);
    for (const person of [learner, await make.holder("instructor", elsewhere.university.id)])
      expect([(await world.as(person).get(calendar)).status, (await puts(person)).status]).toEqual([
        403, 403,
      ]);
    expect((await puts(await make.holder("instructor", university.id))).status).toBe(200);
  });

  it("apply to work that is submitted concurrently, in either order", async () => {
    const { offering, lab } = opened;
    for (let round = 0; round < 4; round += 1) {
      const person = await make.person();
      await make.enrollment(person.id, offering.id);
      const day = (n: number) => `2026-02-${10 + n}T22:00:00.000Z`;
      await world.deps.db.execute(sql`delete from offering_dates`);
      const acts = [
        () => set([{ content_item_id: lab.id, due_at: day(round) }]),
        () => opened.submit({ body: `round ${round}` }, person),
      ];
      const replies = await Promise.all((round % 2 ? acts : acts.toReversed()).map((act) => act()));
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 201]);
      const [work] = await world.deps.db
        .select()
        .from(labSubmissions)
        .where(eq(labSubmissions.user_id, person.id));
      expect(work?.due_at).toBe(day(round));
    }
  });
});
