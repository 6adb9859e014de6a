import { readFile } from "node:fs/promises";
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { cloneDatabase, type Row, type TestDatabase } from "../../support/database.ts";

let database: TestDatabase;
let one: Connection;
let other: Connection;

type Connection = Awaited<ReturnType<typeof connect>>;

beforeAll(async () => {
  database = await cloneDatabase();
  await database.run(await readFile(new URL("../functions/university.sql", import.meta.url), "utf8"));
  [one, other] = await Promise.all([connect(), connect()]);
});

afterAll(async () => {
  await Promise.all([one.end(), other.end()]);
  await database.drop();
});

async function connect() {
  const client = new pg.Client(database.url);
  client.on("error", () => {});
  await client.connect();
  const rows = async (statement: string): Promise<Row[]> => (await client.query(statement)).rows;
  const pid = Number(Object.values((await rows("select pg_backend_pid()"))[0] ?? {})[0]);
  return { rows, pid, end: () => client.end() };
}

/** Waits until that connection waits for a lock. */
const waits = ({ pid }: Connection) =>
  expect
    .poll(async () => {
      const [row] = await database.run(`select wait_event_type from pg_stat_activity where pid = ${pid}`);
      return row?.["wait_event_type"];
    })
    .toBe("Lock");

/** A thread with a post by Ada. */
async function thread() {
  const [made] = await database.run(`
    with opened as (insert into discussion_threads (course_offering_id) values (1) returning id)
    insert into discussion_posts (thread_id, user_id, body) select id, 1, 'First' from opened returning thread_id, id`);
  return { thread: Number(made?.["thread_id"]), post: Number(made?.["id"]) };
}

/**
 * Runs the first in a transaction and the second concurrently. Returns the second's row, which waited for the
 * first.
 */
async function meanwhile(first: string, second: string): Promise<Row | undefined> {
  await one.rows("begin");
  await one.rows(first);
  const waiting = other.rows(second);
  await waits(other);
  await one.rows("commit");
  return (await waiting)[0];
}

const post = (at: { thread: number }, parent: number | null = null) =>
  `select refusal, (post).id from add_discussion_post_and_notify(${at.thread}, ${parent}, 2, 'Said', '2026-03-10T12:00:00Z', '{}')`;

it("a post during a lock is rejected, and none follows the lock", async () => {
  const at = await thread();
  const lock = `select from update_discussion_thread(${at.thread}, '{"is_locked": true}')`;
  expect(await meanwhile(lock, post(at))).toEqual({ refusal: "locked", id: null });
  expect(await database.run(`select id from discussion_posts where thread_id = ${at.thread}`)).toHaveLength(
    1,
  );
});

it("a lock that meets a post waits for it", async () => {
  const at = await thread();
  const locked = await meanwhile(
    post(at),
    `select (thread).post_count from update_discussion_thread(${at.thread}, '{"is_locked": true}')`,
  );
  expect(locked).toEqual({ post_count: 1 });
});

it("an edit during a lock is rejected", async () => {
  const at = await thread();
  const lock = `select from update_discussion_thread(${at.thread}, '{"is_locked": true}')`;
  const edit = `select refusal from edit_discussion_post(${at.post}, 'Other', '2026-03-10T12:00:00Z', null)`;
  expect(await meanwhile(lock, edit)).toEqual({ refusal: "locked" });
});

it("an answer to a post that is being deleted is rejected", async () => {
  const at = await thread();
  expect(await meanwhile(`select delete_discussion_post_keeping_row(${at.post})`, post(at, at.post))).toEqual(
    {
      refusal: "parent_gone",
      id: null,
    },
  );
});

it("a post that is just deleted is not marked as the answer", async () => {
  const at = await thread();
  const mark = `select refusal from update_discussion_thread(${at.thread}, '{"answer_post_id": ${at.post}}')`;
  expect(await meanwhile(`select delete_discussion_post_keeping_row(${at.post})`, mark)).toEqual({
    refusal: "no_answer",
  });
});

it("a post in a thread that is just deleted finds no thread", async () => {
  const at = await thread();
  expect(await meanwhile(`delete from discussion_threads where id = ${at.thread}`, post(at))).toBeUndefined();
});
