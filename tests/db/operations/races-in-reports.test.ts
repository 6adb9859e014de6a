import { readFile } from "node:fs/promises";
import pg from "pg";
import { beforeEach, expect, it } from "vitest";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";
import { atOnce as meet } from "../../support/locks.ts";
import { countedFacts, newAnswers } from "../../support/report-rows.ts";

let database: TestDatabase;
let one: pg.Client;
let other: pg.Client;

/* Ada asked the tutor on a past day, which is not rolled up. */
beforeEach(async () => {
  database = await cloneDatabase();
  await database.run(await readFile(new URL("../functions/university.sql", import.meta.url), "utf8"));
  await database.run(`
    insert into activity_events (user_id, verb, object_type, object_id, content_item_id, occurred_at)
      values (1, 'asked', 'content_item', 1, 1, '2026-03-01T10:00Z');
    insert into chat_sessions (user_id, content_item_id, content_context, item_fingerprint, surroundings_fingerprint)
      values (1, 1, '{}', 'content', 'content');
    insert into chat_messages (session_id, role, content, meta, on_shared_path, created_at)
      select id, 'assistant', 'Hello.', '{"source": "cache"}', true, '2026-03-01T10:00Z' from chat_sessions;
    update scheduled_tasks set begun_at = '2026-03-01Z', reached_at = '2026-03-01Z' where name = 'count'`);
  [one, other] = [new pg.Client(database.url), new pg.Client(database.url)];
  await Promise.all([one.connect(), other.connect()]);
  return async () => {
    await Promise.all([one.end(), other.end()]);
    await database.drop();
  };
});

const count = "select aggregate_daily_activity_and_answers(100)";

const atOnce = (first: string, second: string) => meet({ database, one, other }, first, second);

/** Report figures: answers and active people. */
const read = async () => {
  const [row] = await database.run(`
    select (select sum(amount)::int from (
              select measure, amount from ${countedFacts} union all select measure, amount from ${newAnswers}
            ) as one where measure = 'hits') as hits,
           (select count(distinct user_id)::int from activity) as people`);
  return row;
};

const deletion = "delete from chat_sessions";
const closing = `select erase_account(1, 0, false, '{"at": "2026-03-05T10:00Z"}')`;
const erasure = "select process_next_account_erasure_step('2026-03-05T10:05Z', 50)";

it.each([
  ["a conversation that is deleted", deletion],
  ["a person who is erased", erasure],
])("%s during the count of days is counted once, in either order", async (_, statement) => {
  if (statement === erasure) await database.run(closing);
  await atOnce(count, statement);
  expect(await read()).toEqual({ hits: 1, people: 1 });
});

it.each([
  ["a conversation that is deleted", deletion],
  ["a person who is erased", erasure],
])("%s before days are counted stays counted once", async (_, statement) => {
  if (statement === erasure) await database.run(closing);
  await atOnce(statement, count);
  expect(await read()).toEqual({ hits: 1, people: 1 });
});

it("late events during the count of their day are counted in it, in either order", async () => {
  const late = (person: number) => `
    insert into activity_events (user_id, verb, object_type, object_id, occurred_at)
    values (${person}, 'viewed', 'course', 1, '2026-03-01T11:00Z')`;
  await database.run(count);
  await atOnce(late(2), count);
  await atOnce(count, late(3));
  expect(await read()).toMatchObject({ people: 3 });
  await database.run(
    "update scheduled_tasks set begun_at = '2026-03-01Z', reached_at = null where name = 'count'",
  );
  for (let step = 0; step < 4; step++) await database.run(count);
  expect(await read()).toMatchObject({ people: 3 });
});

it("one process at a time handles trees, and none is stored twice", async () => {
  await database.run(`
    insert into user_content_progress (user_id, course_offering_id, content_item_id) values (1, 1, 1), (2, 1, 1)`);
  await atOnce(
    "select refresh_stale_course_progress_dates(10)",
    "select refresh_stale_course_progress_dates(10)",
  );
  expect(await database.run("select user_id from course_trees order by 1")).toEqual([
    { user_id: 1 },
    { user_id: 2 },
  ]);
});
