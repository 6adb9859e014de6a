import { beforeEach, describe, expect, it } from "vitest";
import { openSession } from "./session.ts";

const { rows, value, noted, totals } = openSession();

/* Ada takes course 1, looks at it on two days and asks its tutor once; ids begin at 1. */
beforeEach(async () => {
  await rows("insert into enrollments (user_id, course_offering_id, status) values (1, 1, 'active')");
  await rows(`insert into activity_events (user_id, verb, object_type, object_id, content_item_id, occurred_at) values
    (1, 'viewed', 'content_item', 1, 1, '2026-03-01T10:00Z'), (1, 'viewed', 'content_item', 1, 1, '2026-03-02T10:00Z')`);
  await rows(`insert into chat_sessions (id, user_id, content_item_id, content_context, content_fingerprint)
    overriding system value values (1, 1, 1, '{}', 'content')`);
  await rows(`insert into chat_messages (session_id, role, content, meta, on_shared_path)
    values (1, 'assistant', 'Hello.', '{"source": "cache"}', true)`);
});

const all = {
  conversations: 1,
  course_people: 2,
  enrollments_active: 1,
  hits: 1,
  people: 2,
  signups: 3,
  topic_people: 2,
};

it("lock_totals lets one count at a time", async () => {
  await rows("select lock_totals()");
  const locks = `select count(*)::int from pg_locks where locktype = 'advisory' and classid = 'report_totals'::regclass
    and database = (select oid from pg_database where datname = current_database())`;
  expect(await value(locks)).toBe(1);
});

describe("count_changes", () => {
  it("adds what is noted to the totals of a course, and to those of all", async () => {
    await rows(
      "insert into uncounted_changes (measure, course_id, amount) values ('drops', 1, 2), ('drops', 2, 3)",
    );
    await rows("select count_changes(100)");
    expect(await totals(1)).toEqual({ conversations: 1, drops: 2, enrollments_active: 1, hits: 1 });
    expect(await totals()).toMatchObject({ drops: 5 });
    expect(await noted()).toEqual({});
  });

  it("does not count what is noted of a course that is gone", async () => {
    await rows("insert into uncounted_changes (measure, course_id, amount) values ('drops', 99, 2)");
    const listed = await value("select count(*)::int from uncounted_changes");
    expect(await value("select count_changes(100)")).toBe(listed);
    expect(await totals()).not.toHaveProperty("drops");
  });
});

it("count_new_totals counts everything that is noted, each once", async () => {
  expect(await rows("select * from count_new_totals()")).toEqual([{ new_events: 2, is_behind: false }]);
  expect(await totals()).toEqual(all);
  expect(await rows("select * from count_new_totals()")).toEqual([{ new_events: 0, is_behind: false }]);
  expect(await totals()).toEqual(all);
});

it("count_new_totals counts people for as long as a statement may take, and then says that more are left", async () => {
  const left = () => value("select count(*)::int from uncounted_activity");
  await rows("delete from uncounted_activity");
  await rows("insert into uncounted_activity select -number, null, 1 from generate_series(1, 120) as number");
  await rows("savepoint noted");
  expect(await rows("select is_behind from count_new_totals()")).toEqual([{ is_behind: false }]);
  expect(await left()).toBe(0);
  await rows("rollback to noted");
  await rows("create sequence ticks");
  await rows(`create or replace function service_clock() returns timestamptz language sql volatile
    as $$ select now() + nextval('ticks') * interval '10 seconds' $$`);
  expect(await rows("select is_behind from count_new_totals()")).toEqual([{ is_behind: true }]);
  expect(await left()).toBe(100);
});

it("count_person counts what one person did, and leaves what others did to the schedule", async () => {
  await rows(`insert into activity_events (user_id, verb, object_type, object_id, content_item_id, occurred_at) values
    (2, 'viewed', 'content_item', 1, 1, '2026-03-01T10:00Z')`);
  await rows("select count_person(1)");
  expect(await value("select array_agg(distinct user_id) from uncounted_activity")).toEqual([2]);
  await rows("delete from activity_events where user_id = 1");
  await rows("select count_new_totals()");
  expect(await totals()).toEqual({ ...all, course_people: 3, people: 3, topic_people: 3 });
});

describe("uncounted_totals", () => {
  const { signups: _, ...fresh } = all;
  const sums = async () =>
    Object.fromEntries(
      (
        await rows(`select measure, sum(amount)::int as amount from uncounted_totals()
          where course_id is null group by 1 having sum(amount) <> 0`)
      ).map(({ measure, amount }) => [measure, amount]),
    );

  it("is all that is noted and not counted, and counts nothing", async () => {
    expect(await sums()).toEqual(fresh);
    expect(await sums()).toEqual(fresh);
    expect(await totals()).toEqual({ signups: 3 });
    await rows("select count_new_totals()");
    expect(await sums()).toEqual({});
  });

  it("takes what was counted of a course that is gone from the sums of all", async () => {
    await rows(
      "insert into report_totals (measure, course_id, amount) values ('drops', 99, 2), ('drops', null, 2)",
    );
    await rows("insert into uncounted_courses values (99)");
    expect(await sums()).toEqual({ ...fresh, drops: -2 });
    await rows("select count_new_totals()");
    expect(await totals()).toEqual(all);
  });

  it("is nothing while too much is noted, and behind_since says since when", async () => {
    await rows("select count_new_totals()");
    expect(await value("select behind_since()")).toBeNull();
    await rows("insert into uncounted_activity select 1, -number from generate_series(1, 1001) as number");
    expect(await value("select behind_since() = now()::timestamptz(3)")).toBe(true);
    await rows("insert into uncounted_changes (measure, amount) values ('drops', 1)");
    expect(await sums()).toEqual({});
    await rows("delete from scheduled_tasks where name = 'count'");
    expect(await value("select behind_since() = to_timestamp(0)")).toBe(true);
  });

  it("is there however often a course is noted, and not where much progress in it would have to be walked", async () => {
    await rows("select count_new_totals()");
    await rows("insert into uncounted_courses select 1 from generate_series(1, 200)");
    expect(await value("select behind_since()")).toBeNull();
    await rows("set local session_replication_role = replica");
    await rows(`insert into user_content_progress (user_id, course_offering_id, content_item_id)
      select 1, 1, number from generate_series(1, 20001) as number`);
    expect(await value("select behind_since()")).not.toBeNull();
  });
});

it("recount_totals comes to the same as counting did, also from nothing", async () => {
  await rows("select count_new_totals()");
  await rows("delete from report_totals");
  await rows("insert into uncounted_changes (measure, amount) values ('drops', 7)");
  await rows("select recount_totals()");
  expect(await totals()).toEqual(all);
  expect(await noted()).toEqual({});
});
