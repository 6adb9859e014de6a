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
  await database.run(
    `update content_items set content_type_id = (select id from content_types where name = 'text')`,
  );
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

const waits = ({ pid }: Connection) =>
  expect
    .poll(async () => {
      const [row] = await database.run(`select wait_event_type from pg_stat_activity where pid = ${pid}`);
      return row?.["wait_event_type"];
    })
    .toBe("Lock");

const told = (...texts: string[]) =>
  `update content_items set data_json = '${JSON.stringify({
    blocks: texts.map((text) => ({ type: "paragraph", text: text.padEnd(90, ".") })),
  })}' where id = 1`;

it.each([
  ["an author writes", told("Third", "Fourth"), ["Third", "Fourth"]],
  ["a file's text is read", "select rewrite_passages_of_items('{1}')", ["First", "Second"]],
])(
  "the passages of an item are those of the text that stood last, though meanwhile %s",
  async (_, second, left) => {
    await one.rows("begin");
    await one.rows(told("First", "Second"));
    const waiting = other.rows(second);
    await waits(other);
    await one.rows("commit");
    await waiting;
    const rows = await database.run("select body from passages where content_item_id = 1 order by number");
    expect(rows.map(({ body }) => String(body).replaceAll(".", ""))).toEqual(left);
  },
);

it("leave the deletion of their item to wait for them, and nothing behind", async () => {
  await one.rows("begin");
  await one.rows("select rewrite_passages_of_items('{2}')");
  const waiting = other.rows("delete from content_items where id = 2");
  await waits(other);
  await one.rows("commit");
  await waiting;
  expect(await database.run("select from passages where content_item_id = 2")).toEqual([]);
});

it("are measured by one at a time: another leaves out the course that is being measured, and loses nothing of it", async () => {
  const moment = "'2026-03-10T12:00:00Z'";
  await database.run(`select start_due_retrieval_measurements(${moment}, 50)`);
  await one.rows("begin");
  await one.rows(`select measure_next_retrieval_step(${moment}, 20)`);
  for (const more of [true, true, false])
    expect(await other.rows(`select measure_next_retrieval_step(${moment}, 20) as more`)).toEqual([{ more }]);
  await one.rows("commit");
  expect(await database.run("select from passage_measures where measured_at is null")).toEqual([]);
});
