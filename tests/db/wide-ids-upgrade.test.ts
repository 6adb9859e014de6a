import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import pg from "pg";
import { afterEach, beforeEach, expect, it } from "vitest";
import { migrate } from "../../lib/db/migrations/migrate.ts";
import { emptyDatabase, type TestDatabase } from "../support/database.ts";
import { scratchFolder } from "../support/scratch-folder.ts";

const migrations = path.resolve(import.meta.dirname, "../../schema/migrations");

let folder: string;
let database: TestDatabase;

/** The moment of each migration, by its name without the number. */
async function readJournal() {
  const journal = JSON.parse(await readFile(path.join(migrations, "meta/_journal.json"), "utf8"));
  const at = journal.entries.findIndex(({ tag }: { tag: string }) =>
    tag.endsWith("wide_ids_beside_the_narrow"),
  );
  return { journal, at };
}

beforeEach(async () => {
  folder = await mkdtemp(path.join(scratchFolder, "narrow-"));
  await cp(migrations, folder, { recursive: true });
  const { journal, at } = await readJournal();
  const before = { ...journal, entries: journal.entries.slice(0, at) };
  await writeFile(path.join(folder, "meta/_journal.json"), JSON.stringify(before));
  database = await emptyDatabase();
  await migrate(database.url, folder);
  await database.run(await readFile(path.join(import.meta.dirname, "functions/university.sql"), "utf8"));
  await database.run(`
    insert into chat_sessions (user_id, content_item_id, content_context, content_fingerprint)
      select 1, 1, '{}', 'content' from generate_series(1, 200);
    insert into chat_messages (session_id, role, content)
      select 1 + number % 200, 'user', 'Question ' || number from generate_series(1, 12000) as number;
    insert into chat_messages (session_id, role, content, in_reply_to_id)
      select session_id, 'assistant', 'Answer', id from chat_messages;
    delete from chat_messages where id % 1000 = 7;
    insert into notifications (user_id, kind, cause, created_at)
      select 1, 'place_obtained', 'place:' || number, now() from generate_series(1, 5000) as number;
    select setval('notifications_id_seq', 70000)`);
});

afterEach(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

const messages = () =>
  database.run(
    "select id::text, session_id::text, in_reply_to_id::text, content from chat_messages order by chat_messages.id",
  );

/** Writes and reads as people do, each statement waiting for locks as long as a request does, until it is told to stop. */
function writer() {
  let goesOn = true;
  const said: string[] = [];
  async function write() {
    const client = new pg.Client(database.url);
    await client.connect();
    await client.query("set lock_timeout = '2s'");
    const query = async (text: string) => (await client.query(text)).rows;
    for (let turn = 0; goesOn; turn += 1) {
      const [{ id }] = await query(
        `insert into chat_messages (session_id, role, content) values (${1 + (turn % 200)}, 'user', 'Meanwhile') returning id`,
      );
      said.push(String(id));
      await query(`update chat_messages set content = 'Changed' where id = ${1 + ((turn * 37) % 20000)}`);
      if (turn % 10 === 9) await query(`delete from chat_messages where id = ${id}`).then(() => said.pop());
      await query(`update chat_sessions set updated_at = now() where id = ${1 + (turn % 200)}`);
    }
    await client.end();
  }
  const done = write();
  return {
    async stop() {
      goesOn = false;
      await done;
      return { said };
    },
  };
}

it("ids get 64 bits while people write: nobody waits for longer than a request does, and no row is lost", async () => {
  const one = writer();
  const { journal, at } = await readJournal();
  expect(await migrate(database.url)).toBe(journal.entries.length - at);
  // A statement that waits for a lock for longer than a request does would have failed.
  const { said } = await one.stop();
  expect(said.length).toBeGreaterThan(20);
  const stored = await messages();
  const ids = new Set(stored.map(({ id }) => id));
  expect(said.filter((id) => !ids.has(id))).toEqual([]);
  const replies = stored.filter(({ in_reply_to_id }) => in_reply_to_id !== null);
  expect(replies.length).toBeGreaterThan(11_900);
  for (const { id, in_reply_to_id } of replies) expect(Number(id)).toBe(Number(in_reply_to_id) + 12_000);
  const left = await database.run(`
    select (select count(*)::int from pg_constraint where not convalidated) as unchecked,
           (select count(*)::int from pg_namespace where nspname = 'widening') as leftovers,
           (select count(*)::int from pg_class where relname like 'wide\\_%') as indexes,
           (select count(*)::int from information_schema.columns where column_name like '%\\_wide') as columns`);
  expect(left).toEqual([{ unchecked: 0, leftovers: 0, indexes: 0, columns: 0 }]);
  const [next] = await database.run(`
    insert into notifications (user_id, kind, cause, created_at) values (1, 'place_obtained', 'next', now())
    returning id::text`);
  expect(next).toEqual({ id: "70001" });
});

it("a migration that is stopped in its steps goes on there, with what was written meanwhile", async () => {
  const before = await messages();
  // Held until it is given up: the indexes of this table are made last but one of all.
  const other = new pg.Client(database.url);
  await other.connect();
  await other.query("begin; lock table user_module_progress in share mode");
  const stopped = migrate(database.url).catch((error: Error) => error.message);
  const reached = "select count(*)::int as indexes from pg_class where relname like 'wide\\_%'";
  const columns = "select count(*)::int as columns from pg_attribute where attname = 'id_wide'";
  await expect.poll(async () => (await database.run(columns))[0]?.["columns"]).toBeGreaterThan(5);
  await database.run(`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and application_name = '' and query !~ 'user_module_progress in share'`);
  expect(await stopped).toMatch(/terminat/i);
  await other.query("rollback");
  await other.end();
  expect((await database.run(reached))[0]?.["indexes"]).toBe(0);
  await database.run("insert into chat_messages (session_id, role, content) values (1, 'user', 'Between')");
  await migrate(database.url);
  const after = await messages();
  expect(after.slice(0, before.length)).toEqual(before);
  expect(after.at(-1)).toMatchObject({ content: "Between" });
});
