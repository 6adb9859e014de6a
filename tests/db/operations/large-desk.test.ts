import { sql } from "drizzle-orm";
import { beforeAll, expect, it } from "vitest";
import { findActor } from "../../../lib/identity/auth/actor.ts";
import { readTeachingOverview } from "../../../lib/operations/home/teaching.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

const offerings = 20;
const learners = 1000;

let teacher: { id: number };

beforeAll(async () => {
  const university = await make.university();
  teacher = await make.holder("instructor", university.id);
  const course = await make.course(university.id);
  const module = await make.module(course.id);
  const item = await make.contentItem(module, university.id, { due_at: "2026-03-20T12:00:00Z" });
  const first = await make.offering(course);
  const rows = `
    set session_replication_role = replica;
    insert into course_offerings (course_id, university_id, starts_at, visibility)
      select course_id, university_id, '2026-02-01Z', 'private' from course_offerings, generate_series(2, ${offerings}) where id = ${first.id};
    insert into users (email, full_name) select 'learner-' || n || '@example.edu', 'Learner ' || n
      from generate_series(1, ${offerings * learners}) as n;
    insert into university_members (user_id, university_id, full_name, email, created_at, search_text)
      select id, ${university.id}, full_name, email, '2026-01-01Z', '' from users where email like 'learner-%';
    insert into enrollments (user_id, course_offering_id, university_id, is_admitted, enrolled_at, status)
      select one.id, ${first.id} + one.nth % ${offerings}, ${university.id}, true, '2026-02-01Z', 'active'
      from (select id, row_number() over (order by id) as nth from users where email like 'learner-%') as one;
    insert into enrollment_progress (user_id, course_offering_id, progress_percent, completed_items)
      select user_id, course_offering_id, user_id % 101, 3 from enrollments where university_id = ${university.id};
    insert into activity_events (user_id, university_id, course_offering_id, verb, object_type, object_id, occurred_at)
      select user_id, university_id, course_offering_id, 'viewed', 'content_item', ${item.id},
        timestamptz '2026-03-10 12:00Z' - make_interval(days => user_id % 30, hours => n)
      from enrollments, generate_series(1, 20) as n where university_id = ${university.id};
    insert into lab_submissions (user_id, course_offering_id, content_item_id, status, submitted_at, attempt_number)
      select user_id, course_offering_id, ${item.id}, case when n = 3 and user_id % 19 = 0 then 'submitted' else 'graded' end, '2026-03-01Z', n
      from enrollments, generate_series(1, 3) as n where university_id = ${university.id};
    insert into discussion_threads (course_offering_id, created_by_user_id, title, last_post_at)
      select course_offering_id, user_id, 'Why', '2026-03-01Z' from enrollments where university_id = ${university.id} and user_id % 7 = 0;
    insert into discussion_posts (thread_id, user_id, body)
      select id, created_by_user_id, 'I wonder' from discussion_threads;
    set session_replication_role = origin;
    analyze`;
  await world.deps.db.transaction(async (tx) => {
    for (const statement of rows.split(";\n")) await tx.execute(sql.raw(statement));
  });
});

it("a desk of twenty classes reads no histories, and no graded work", async () => {
  const now = new Date("2026-03-10T12:00:00Z");
  world.setNow(now);
  const desk = await world.as(teacher).get("/users/me/teaching");
  expect(desk.body.offerings).toHaveLength(offerings);
  const read = await world.deps.db.transaction(async (tx) => {
    await tx.execute(sql`set local enable_seqscan = off`);
    const actor = await findActor(tx, { id: teacher.id, token_version: 0 });
    if (!actor) throw new Error("nobody");
    const counts = async () => {
      const { rows } = await tx.execute<{ table: string; rows: number }>(sql`
        select relname as table, (seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_user_tables
        where relname in ('activity_events', 'lab_submissions', 'enrollments', 'discussion_posts') order by 1`);
      return Object.fromEntries(rows.map(({ table, rows: count }) => [table, count]));
    };
    // Counts include the previous request's reads until PostgreSQL resets them.
    const before = await counts();
    const own = await readTeachingOverview(tx, actor, now);
    expect(own).toEqual(desk.body);
    const after = await counts();
    return Object.fromEntries(
      Object.entries(after).map(([table, count]) => [table, count - (before[table] ?? 0)]),
    );
  });
  // Reads each learner's last event, each pending row and each open thread's last post.
  expect(read["activity_events"]).toBeLessThanOrEqual(offerings * learners);
  expect(read["lab_submissions"]).toBeLessThanOrEqual((offerings * learners) / 19 + 1);
  expect(read["enrollments"]).toBeLessThanOrEqual(offerings * (learners + 1));
  expect(read["discussion_posts"]).toBeLessThanOrEqual((offerings * learners) / 7 + 1);
});
