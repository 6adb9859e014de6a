import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { executeApprovedUniversityErasures } from "../../../lib/operations/data-requests/erase.ts";
import { atOnce } from "../../support/at-once.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
const make = makersOf(world);
const work = () => executeApprovedUniversityErasures(world.deps, new AbortController().signal);

const anHourLater = () => new Date(world.deps.now().getTime() + 60 * 60 * 1000).toISOString();

/** A learner in an offering whose part in its university is to be erased. */
async function erasing() {
  const { university, offering, item } = await make.topic();
  const person = await make.person();
  const officers = [await make.person(), await make.person()];
  const enroll = () => world.as(person).post("/enrollments/", { course_offering_id: offering.id });
  expect((await enroll()).status).toBe(201);
  await world.deps.db.execute(sql`
    insert into data_requests (university_id, user_id, kind, state, received_on, made_by_user_id, made_at, decided_by_user_id, decided_at)
    values (${university.id}, ${person.id}, 'erase', 'approved', '2026-03-01', ${officers[0]?.id}, now(), ${officers[1]?.id}, now())`);
  const count = async (query: ReturnType<typeof sql>) => {
    const { rows } = await world.deps.db.execute<{ count: number }>(
      sql`select count(*)::int as count from ${query}`,
    );
    return rows[0]?.count;
  };
  return {
    ...{ university, offering, item, person, enroll, count },
    progress: (percent: number) =>
      world.as(person).post("/progress/content", {
        ...{ course_offering_id: offering.id, content_item_id: item.id, progress_percent: percent },
      }),
    /** The number of the person's rows left in place. */
    left: async () => ({
      notes: await count(sql`notes where user_id = ${person.id}`),
      notifications: await count(sql`notifications where user_id = ${person.id}`),
      events: await count(
        sql`activity_events where user_id = ${person.id} and course_offering_id = ${offering.id}`,
      ),
      changes: await count(sql`grade_changes where user_id = ${person.id}`),
      progress: await count(sql`user_content_progress where user_id = ${person.id}`),
    }),
  };
}

const size = 10_000;
const most = 1_000;

describe("the erasure of a university's part of a person", () => {
  it("erases so many rows in a step, repeats a killed step, and continues after it", async () => {
    const { person, university, offering, item, left } = await erasing();
    const of = { user: sql`${person.id}::int`, run: sql`${offering.id}::int`, item: sql`${item.id}::int` };
    await world.deps.db.execute(sql`
      insert into notes (user_id, content_item_id, body)
      select ${of.user}, ${of.item}, 'A note' from generate_series(1, ${size}::int)`);
    await world.deps.db.execute(sql`
      insert into notifications (user_id, kind, course_offering_id, cause, created_at)
      select ${of.user}, 'announcement', ${of.run}, 'test:' || n, now() from generate_series(1, ${size}::int) as n`);
    await world.deps.db.execute(sql`
      insert into grade_changes (kind, user_id, course_offering_id, content_item_id, changed_at)
      select 'item_set', ${of.user}, ${of.run}, ${of.item}, now() from generate_series(1, ${size}::int)`);
    await world.deps.db.execute(sql`
      insert into activity_events (user_id, university_id, verb, object_type, object_id, course_offering_id, occurred_at)
      select ${of.user}, ${university.id}::int, 'progressed', 'content_item', ${of.item}, ${of.run}, now()
      from generate_series(1, ${size}::int)`);
    const moment = world.deps.now().toISOString();
    const step = sql`select process_next_university_erasure_step(${moment}, ${most}, null) as is_more`;
    const killed = new Error("killed");
    let steps = 0;
    for (let isMore = true; isMore; ) {
      const before = await left();
      const died = world.deps.db.transaction(async (tx) => {
        await tx.execute(step);
        throw killed;
      });
      // Every third one dies afterwards.
      if (steps % 3 === 2) {
        await expect(died).rejects.toBe(killed);
        expect(await left()).toEqual(before);
      } else await died.catch(() => {});
      const { rows } = await world.deps.db.execute<{ is_more: boolean }>(step);
      isMore = rows[0]?.is_more ?? false;
      steps += 1;
      const after = await left();
      for (const [name, rowsLeft] of Object.entries(after))
        expect((before[name as keyof typeof before] ?? 0) - (rowsLeft ?? 0)).toBeLessThanOrEqual(most);
    }
    expect(steps).toBeGreaterThan((3 * size) / most);
    expect(await left()).toEqual({ notes: 0, notifications: 0, events: 0, changes: 0, progress: 0 });
  });

  it.each([0, 1, 2, 3])("leaves no row of a concurrent write, and counts none (%i)", async (round) => {
    const { person, university, progress, left, count } = await erasing();
    const before = world.deps.now();
    const [, { status }] = await atOnce(round, work, () => progress(40));
    expect([200, 201, 400, 403, 404, 503]).toContain(status);
    await work();
    world.setNow(anHourLater());
    await work();
    world.setNow(before.toISOString());
    expect(await left()).toMatchObject({ progress: 0, events: 0 });
    expect(await count(sql`enrollments where user_id = ${person.id}`)).toBe(0);
    expect(await count(sql`data_requests where university_id = ${university.id} and state = 'done'`)).toBe(1);
  });

  it.each([0, 1, 2, 3])(
    "lets a returning person start again, and deletes nothing of theirs (%i)",
    async (round) => {
      const { person, offering, enroll, progress, count } = await erasing();
      await progress(40);
      const before = world.deps.now();
      await world.deps.db.execute(
        sql`select process_next_university_erasure_step(${before.toISOString()}, ${most}, null)`,
      );
      const [, { status }] = await atOnce(round, work, enroll);
      expect(status).toBe(201);
      expect((await world.as(person).get("/users/me")).status).toBe(200);
      expect(
        await count(
          sql`user_content_progress where user_id = ${person.id} and course_offering_id = ${offering.id}`,
        ),
      ).toBe(0);
      expect((await progress(10)).status).toBe(200);
      await work();
      world.setNow(anHourLater());
      await work();
      world.setNow(before.toISOString());
      const { rows } = await world.deps.db.execute(sql`
      select one.user_id = ${person.id} as own, progress_percent::float8 as percent from user_content_progress as one
      where course_offering_id = ${offering.id} order by 1`);
      expect(rows).toEqual([
        { own: false, percent: 40 },
        { own: true, percent: 10 },
      ]);
    },
  );
});
