import { readFile } from "node:fs/promises";
import pg from "pg";
import { beforeEach, expect, it } from "vitest";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";
import { atOnce as meet, untilOneWaits } from "../../support/locks.ts";

let database: TestDatabase;
let one: pg.Client;
let other: pg.Client;

/* Ada takes course 1, which has a text and a quiz. */
beforeEach(async () => {
  database = await cloneDatabase();
  await database.run(await readFile(new URL("../functions/university.sql", import.meta.url), "utf8"));
  await database.run(`
    update content_items set content_type_id = (select id from content_types where name = 'quiz') where id = 2;
    insert into enrollments (user_id, course_offering_id) values (1, 1);
    delete from stale_outlines`);
  [one, other] = [new pg.Client(database.url), new pg.Client(database.url)];
  await Promise.all([one.connect(), other.connect()]);
  return async () => {
    await Promise.all([one.end(), other.end()]);
    await database.drop();
  };
});

const atOnce = (first: string, second: string) => meet({ database, one, other }, first, second);

/** The stored progress, which equals the sum of the rows. */
async function kept(): Promise<number> {
  const [row] = await database.run(`
    select progress_percent::float8 as percent, (select own.progress_percent::float8 from course_progress_of_people(1, array[1]) as own) as counted from enrollment_progress`);
  const { percent, counted } = row as { percent: number; counted: number };
  expect(percent).toBe(counted);
  return percent;
}

const post = (percent = 100) => `
  insert into user_content_progress (user_id, course_offering_id, content_item_id, progress_percent, completed_at)
  values (1, 1, 1, ${percent}, ${percent === 100 ? "now()" : "null"})`;
const pass = `
  insert into quiz_attempts (user_id, course_offering_id, content_item_id, submitted_at, passed)
  values (1, 1, 2, now(), true)`;
const edit = `
  insert into content_items (module_id, course_id, university_id, content_type_id, title, data_json, sequence_index)
  select 2, 1, 1, content_type_id, 'More', '{}', (select max(sequence_index) + 1 from content_items)
  from content_items where id = 1`;
const job = "select recompute_progress_after_outline_edits(10)";

it.each([
  ["a post and a result", post(), pass],
  ["a result and a post", pass, post()],
])("%s of one person at once are both counted, and complete the course", async (_, first, second) => {
  await atOnce(first, second);
  expect(await kept()).toBe(100);
  expect(await database.run("select status from enrollments")).toEqual([{ status: "completed" }]);
});

it("an edit that a post does not see yet is looked at after both", async () => {
  await one.query("begin");
  await one.query(edit);
  await other.query(post());
  await one.query("commit");
  await database.run(job);
  expect(await kept()).toBe(33.33);
});

it("the job waits for a post that began before an edit, and sees it", async () => {
  await one.query("begin");
  await one.query(post(60));
  await database.run(edit);
  const looking = other.query(job);
  await untilOneWaits(database);
  await one.query("commit");
  await looking;
  expect(await kept()).toBe(20);
});

it("a result that arrives while the job processes its person is counted after it", async () => {
  await database.run(edit);
  await atOnce(job, pass);
  expect(await kept()).toBe(33.33);
});

it("an edit while the job looks at its course has another round", async () => {
  await database.run(post());
  await database.run(edit);
  await one.query("begin");
  await one.query(job);
  await other.query(edit);
  await one.query("commit");
  for (let step = 0; step < 5; step += 1) await database.run(job);
  expect(await kept()).toBe(25);
  expect(await database.run("select from stale_outlines")).toEqual([]);
});
