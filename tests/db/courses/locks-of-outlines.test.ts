import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { readOfferingOutline } from "../../../lib/courses/offerings/outline.ts";
import type { Deps } from "../../../lib/deps.ts";
import { findActor } from "../../../lib/identity/auth/actor.ts";
import { connectDatabase, type DatabaseHandles } from "../../../lib/platform/db/driver/connect.ts";
import { rowsOf } from "../../../lib/platform/db/query/rows.ts";
import { createSeededRandom, type SeededRandom } from "../../../proof/chaos/rng.ts";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";
import { makersOf } from "../../support/makers.ts";
import type { World } from "../../support/world.ts";

/*
 * An outline finds an item's locks on the way down the tree, a single item on the way up. Both end in
 * `module_lock_reason` and must agree.
 */

let clone: TestDatabase;
let database: DatabaseHandles;

beforeAll(async () => {
  clone = await cloneDatabase();
  database = await connectDatabase({ url: clone.url, max: 4 });
});
afterAll(async () => {
  await database.close();
  await clone.drop();
});

const now = new Date("2026-03-10T12:00:00Z");
const days = [
  "2026-03-09T12:00:00Z",
  "2026-03-10T12:00:00Z",
  "2026-03-10T12:00:00.001Z",
  "2026-03-12T12:00:00Z",
] as const;

const Gates = z.object({ id: z.int(), gate: z.string().nullable() });

const lockOf = {
  ENROLLMENT_REQUIRED: "enrollment required",
  NOT_AVAILABLE_YET: "not available yet",
  MODULES_INCOMPLETE: "not available yet",
};

async function growTree(rng: SeededRandom) {
  const make = makersOf({ deps: { db: database.db } as Deps } as World);
  const { university, course, offering, module, item } = await make.topic({
    access: rng.chance(0.3) ? "ENROLLED" : "OPEN",
  });
  const modules = [module];
  const items = [item];
  const day = () => (rng.chance(0.3) ? rng.pick(days) : null);
  for (let number = 0; number < 7; number += 1) {
    const above = rng.chance(0.6) ? modules[Math.floor(rng.between(0, modules.length))] : undefined;
    const added = await make.module(course.id, {
      parent_module_id: above?.id ?? null,
      available_from: day(),
    });
    modules.push(added);
    items.push(await make.contentItem(added, university.id, { available_from: day() }));
  }
  for (const { id } of modules) {
    const asked = modules.filter(() => rng.chance(0.15)).map((one) => one.id);
    const written = sql`update modules set requires_module_ids = ${sql.param(asked)}::int[] where id = ${id}`;
    // A module that requires itself is rejected.
    await database.db.execute(written).catch(() => {});
  }
  const learner = await make.person();
  if (rng.chance(0.8)) await make.enrollment(learner.id, offering.id, rng.chance(0.8) ? "ACTIVE" : "DROPPED");
  for (const { id } of items.filter(() => rng.chance(0.6)))
    await database.db.execute(sql`
      insert into user_content_progress (user_id, course_offering_id, content_item_id, progress_percent, completed_at)
      values (${learner.id}, ${offering.id}, ${id}, 100, '2026-03-09')`);
  return { course, offering, learner };
}

test.each([1, 2, 3, 4, 5, 6])("tree %i is locked by its closed modules", async (seed) => {
  const { course, offering, learner } = await growTree(createSeededRandom(seed));
  const actor = await findActor(database.db, { id: learner.id, token_version: 0, signed_in_at: 0 });
  const path = { course_id: course.id, offering_id: offering.id };
  const outline = await readOfferingOutline(database.db, actor, path, { skip: 0 }, now);
  const shown = outline.modules.flatMap(({ items }) => items);
  expect(shown).toHaveLength(8);
  const gates = await rowsOf(
    database.db,
    Gates,
    sql`select id, item_access_refusal(id, ${learner.id}, ${now.toISOString()}) as gate from content_items
        where course_id = ${course.id} order by id`,
  );
  const locks = shown.map(({ id, lock }) => ({ id, gate: lock && lockOf[lock.reason] }));
  expect(locks.toSorted((one, other) => one.id - other.id)).toEqual(gates);
});
