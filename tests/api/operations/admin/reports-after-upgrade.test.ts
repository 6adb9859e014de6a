import { sql } from "drizzle-orm";
import { beforeAll, expect, it } from "vitest";
import type { Client } from "../../../support/client.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

let administrator: Client;
let stale: number;
let other: number;

/** After a migration that requires a full recount: more rows than a request counts. */
beforeAll(async () => {
  const university = await make.university();
  const course = await make.course(university.id);
  const offering = await make.offering(course);
  stale = course.id;
  other = (await make.course(university.id)).id;
  const person = await make.person();
  administrator = world.as(await make.holder("platform_admin", university.id));
  await world.deps.db.execute(
    sql`update scheduled_tasks set begun_at = to_timestamp(0) where name = 'count'`,
  );
  await world.deps.db.execute(sql`
    insert into stale_trees (course_offering_id, user_id)
    select ${offering.id}, ${person.id} from generate_series(1, 5001)`);
  await world.deps.db.transaction(async (tx) => {
    await tx.execute(sql`set local session_replication_role = replica`);
    await tx.execute(sql`
      insert into chat_messages (session_id, role, content, meta)
      select 1, 'user', 'A', '{}' from generate_series(1, 100001)`);
  });
});

it.each(["overview", "engagement", "progress", "cache", "tutor"])(
  "the report %s says after an upgrade that nothing is counted yet",
  async (report) => {
    const { status, body } = await administrator.get(`/admin/analytics/${report}`);
    expect([status, body.as_of]).toEqual([200, "1970-01-01T00:00:00.000Z"]);
  },
);

const figuresOfDays = {
  overview: ["weekly_active_users", "monthly_active_users"],
  engagement: ["average_time_per_topic_seconds", "average_chat_turns_per_topic_per_user"],
  progress: [
    "average_mastered_topics_per_user",
    "course_tree_completion_count",
    "course_tree_interruption_count",
  ],
  cache: ["cache_hit_count", "cache_miss_count", "hit_rate", "cache_hit_rate", "total_hits_served"],
  tutor: ["hits", "joined", "calls_saved", "cost_saved_micros"],
};

it.each(Object.entries(figuresOfDays))(
  "the report %s has no zero for what is not counted: null, and nothing in its CSV",
  async (report, names) => {
    const { body } = await administrator.get(`/admin/analytics/${report}`);
    const csv = String((await administrator.get(`/admin/analytics/${report}?format=csv`)).body).split("\r\n");
    for (const name of names) {
      expect({ [name]: body[name] }).toEqual({ [name]: null });
      expect(csv).toContain(`${name},,`);
      for (const course of body.per_course_breakdown ?? [])
        expect({ [name]: course[name] }).toEqual({ [name]: null });
      for (const day of body.daily ?? []) expect({ [name]: day[name] }).toEqual({ [name]: null });
    }
  },
);

it("an uncounted day has no number of people, and figures from rows are shown", async () => {
  const { body } = await administrator.get("/admin/analytics/overview");
  expect(new Set(body.daily_active_users.map(({ count }: { count: unknown }) => count))).toEqual(
    new Set([null]),
  );
  expect(new Set(body.daily_new_signups.map(({ count }: { count: unknown }) => count))).toEqual(new Set([0]));
  expect(body.total_registered_users).toBe(2);
});

it("days before the recount keep their figures", async () => {
  const begin = (date: string) =>
    world.deps.db.execute(
      sql`update scheduled_tasks set begun_at = ${date}::timestamptz where name = 'count'`,
    );
  await begin("2026-03-09T00:00:00Z");
  const { body } = await administrator.get(
    "/admin/analytics/overview?date_from=2026-03-08&date_to=2026-03-09",
  );
  expect(body.daily_active_users).toEqual([
    { date: "2026-03-08", count: 0 },
    { date: "2026-03-09", count: null },
  ]);
  const earlier = await administrator.get("/admin/analytics/tutor?date_from=2026-03-08&date_to=2026-03-08");
  expect(earlier.body).toMatchObject({ hits: 0, calls_saved: 0, as_of: "2026-03-09T00:00:00.000Z" });
  await begin("1970-01-01T00:00:00Z");
});

it.each(["engagement", "progress"])(
  "the report %s is behind for the course with a backlog, and for no other",
  async (report) => {
    const ofCourse = async (id: number) =>
      (await administrator.get(`/admin/analytics/${report}?course_id=${id}`)).body;
    expect(await ofCourse(stale)).toMatchObject({ as_of: "1970-01-01T00:00:00.000Z" });
    expect(await ofCourse(other)).not.toHaveProperty("as_of");
    if (report === "progress")
      expect(await ofCourse(other)).toMatchObject({ course_tree_completion_count: 0 });
  },
);
