import { readFile } from "node:fs/promises";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { cloneDatabase, type Row, type TestDatabase } from "../../support/database.ts";
import { untilOneWaits } from "../../support/locks.ts";

let database: TestDatabase;
let one: pg.Client;
let other: pg.Client;

const at = "2026-03-10T12:00:00Z";

beforeAll(async () => {
  database = await cloneDatabase();
  await database.run(await readFile(new URL("../functions/university.sql", import.meta.url), "utf8"));
  [one, other] = [new pg.Client(database.url), new pg.Client(database.url)];
  await Promise.all([one.connect(), other.connect()]);
  await database.run(`
    update users set email_verified_at = now();
    update content_items set due_at = '2026-03-11T11:00:00Z' where id = 1;
    insert into enrollments (user_id, course_offering_id, status) values (1, 1, 'active'), (2, 1, 'active')`);
});

afterAll(async () => {
  await Promise.all([one.end(), other.end()]);
  await database.drop();
});

beforeEach(() =>
  database.run(
    "delete from notifications; delete from mail_outbox; delete from due_reminders; delete from announcements",
  ),
);

const numberOf = async (client: pg.Client, call: string): Promise<number> =>
  Number(Object.values((await client.query<Row>(`select ${call}`)).rows[0] ?? {})[0]);

/** Runs a call in both; the first ends once the second waits for it. Returns both results. */
async function atOnce(call: string, end: "commit" | "rollback" = "commit"): Promise<[number, number]> {
  await one.query("begin");
  const first = await numberOf(one, call);
  const second = numberOf(other, call);
  await untilOneWaits(database);
  await one.query(end);
  return [first, await second];
}

const placeObtained = () =>
  database.run(`select notify('{1,2}', 'place_obtained', 'place:1', '${at}', offering => 1)`);
const mailed = () => database.run("select from notifications where mail_id is not null");

it("two concurrent rounds make one mail per person, and each notification is in one of them", async () => {
  await placeObtained();
  const [first] = await atOnce(`queue_due_notification_mail('${at}', 10)`);
  expect(first).toBe(2);
  expect(await database.run("select from mail_outbox")).toHaveLength(2);
  expect(await mailed()).toHaveLength(2);
});

it("a round that died leaves everything to the next", async () => {
  await placeObtained();
  const [, second] = await atOnce(`queue_due_notification_mail('${at}', 10)`, "rollback");
  expect(second).toBe(2);
  expect(await mailed()).toHaveLength(2);
});

it("two concurrent rounds remind once of due work, also if the first died", async () => {
  const remind = `remind_people_of_items_due_soon('${at}', interval '24 hours', 10)`;
  await atOnce(remind);
  expect(await database.run("select from notifications")).toHaveLength(2);
  await database.run("delete from notifications; delete from due_reminders");
  await atOnce(remind, "rollback");
  expect(await database.run("select from notifications")).toHaveLength(2);
});

it("of two concurrent rounds the second skips an announcement that the first handles", async () => {
  await database.run(`insert into announcements (university_id, course_offering_id, title, body, published_at)
                      values (1, 1, 'News', 'Words', '${at}')`);
  await one.query("begin");
  expect(await numberOf(one, `notify_readers_of_next_published_announcement('${at}', 10)`)).toBe(3);
  expect(await numberOf(other, `notify_readers_of_next_published_announcement('${at}', 10)`)).toBe(0);
  await one.query("rollback");
  expect(await numberOf(other, `notify_readers_of_next_published_announcement('${at}', 10)`)).toBe(3);
  expect(await database.run("select from notifications")).toHaveLength(2);
});

it("2000 people are notified in one statement, and more in another", async () => {
  await database.run(`
    with person as (
      insert into users (email, full_name) select 'p' || n || '@example.edu', 'P' from generate_series(1, 2000) as n
      returning id
    )
    insert into user_university_roles (user_id, university_id, role) select id, 1, 'student' from person;
    insert into announcements (university_id, title, body, published_at) values (1, 'News', 'Words', '${at}')`);
  const everyone = 2002;
  expect(await numberOf(one, `notify_readers_of_next_published_announcement('${at}', 2000)`)).toBe(2001);
  expect(await numberOf(one, `notify_readers_of_next_published_announcement('${at}', 2000)`)).toBe(
    everyone - 2000 + 1,
  );
  expect(await numberOf(one, `notify_readers_of_next_published_announcement('${at}', 2000)`)).toBe(0);
  expect(await database.run("select distinct user_id from notifications")).toHaveLength(everyone);
});
