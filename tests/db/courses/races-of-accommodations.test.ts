import { readFile } from "node:fs/promises";
import pg from "pg";
import { beforeEach, expect, it } from "vitest";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";
import { atOnce as meet } from "../../support/locks.ts";

let database: TestDatabase;
let one: pg.Client;
let other: pg.Client;

const at = "2026-03-01 12:00Z";

/* Item 1 of course 1 is a quiz of an hour, which Ben may take in offering 1 once enrolled. */
beforeEach(async () => {
  database = await cloneDatabase();
  await database.run(await readFile(new URL("../functions/university.sql", import.meta.url), "utf8"));
  await database.run(`
    insert into user_university_roles (user_id, university_id, role) values (2, 1, 'student');
    insert into question_pools (id, university_id, title) overriding system value values (1, 1, 'Engines');
    insert into questions (question_pool_id, kind, question_text, answer_json)
    values (1, 'true_false', 'Nine and one?', '{"value": true}');
    update content_items set data_json = '{"time_limit_seconds": 3600, "question_pool_id": 1}',
      content_type_id = (select id from content_types where name = 'quiz') where id = 1`);
  [one, other] = [new pg.Client(database.url), new pg.Client(database.url)];
  await Promise.all([one.connect(), other.connect()]);
  return async () => {
    await Promise.all([one.end(), other.end()]);
    await database.drop();
  };
});

const atOnce = (first: string, second: string) => meet({ database, one, other }, first, second);
const enroll = `select refusal from enroll(1, 2, '${at}')`;
const start = `select refusal from start_or_continue_quiz_attempt(2, 1, 1, '${at}', '2026-03-01')`;
const grant = `select time_factor from grant_accommodation_and_extend_work(1, 2, '{"time_factor": 2, "extra_days": 0}', 3, '${at}',
  '{"at": "2026-03-01T12:00:00Z"}')`;

const minutes = async () => {
  const found = await database.run(
    "select (extract(epoch from due_at - started_at) / 60)::int as minutes from quiz_attempts",
  );
  return found.map((row) => row["minutes"]);
};

it.each([
  ["a person who is enrolled before the grant", enroll, grant],
  ["a person who is enrolled after the grant", grant, enroll],
])("more time is granted in the attempts of %s", async (_, first, second) => {
  await atOnce(first, second);
  await database.run(start);
  expect(await minutes()).toEqual([120]);
});

it.each([
  ["begun before the grant", start, grant],
  ["begun after the grant", grant, start],
])("more time is granted in an attempt that is %s", async (_, first, second) => {
  await database.run(enroll);
  await atOnce(first, second);
  expect(await minutes()).toEqual([120]);
});

it("more time is granted in an attempt in an offering to which its taker came while it was waited for", async () => {
  // Work in offering 2 makes the grant wait at its grade lock.
  await database.run("insert into enrollments (user_id, course_offering_id) values (2, 2)");
  await one.query("begin");
  await one.query("select lock_offering_grades_shared(2)");
  const granted = other.query(grant);
  await expect
    .poll(() =>
      database.run(
        "select from pg_stat_activity where wait_event = 'advisory' and datname = current_database()",
      ),
    )
    .toHaveLength(1);
  await database.run(enroll);
  await database.run(start);
  await one.query("commit");
  await granted;
  expect(await minutes()).toEqual([120]);
});
