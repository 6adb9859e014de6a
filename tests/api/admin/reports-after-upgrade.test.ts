import { sql } from "drizzle-orm";
import { beforeAll, expect, it } from "vitest";
import type { Client } from "../../support/client.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

let administrator: Client;

/** As a migration leaves it that has everything counted anew: more is to be looked at than anyone waits for. */
beforeAll(async () => {
  const university = await make.university();
  const course = await make.course(university.id);
  const offering = await make.offering(course);
  const person = await make.person();
  administrator = world.as(await make.holder("platform_admin", university.id));
  await world.deps.db.execute(
    sql`update scheduled_tasks set begun_at = to_timestamp(0) where name = 'count'`,
  );
  await world.deps.db.execute(sql`
    insert into stale_trees (course_offering_id, user_id)
    select ${offering.id}, ${person.id} from generate_series(1, 5001)`);
});

it.each(["overview", "engagement", "progress", "cache", "tutor"])(
  "the report %s says after an upgrade that nothing is counted yet",
  async (report) => {
    const { status, body } = await administrator.get(`/admin/analytics/${report}`);
    expect([status, body.as_of]).toEqual([200, "1970-01-01T00:00:00.000Z"]);
  },
);
