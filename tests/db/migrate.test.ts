import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { migrate } from "../../lib/db/migrations/migrate.ts";
import { cloneDatabase, emptyDatabase, type TestDatabase } from "../support/database.ts";

let folder: string;
let database: TestDatabase;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "migrations-"));
  await mkdir(path.join(folder, "meta"));
  const entries = ["0000_first", "0001_second"].map((tag, idx) => ({
    idx,
    tag,
    when: idx + 1,
    breakpoints: true,
  }));
  await writeFile(path.join(folder, "meta/_journal.json"), JSON.stringify({ entries }));
  await writeFile(path.join(folder, "0000_first.sql"), "create table first (id int);");
  // Slow enough for a second deployment to arrive meanwhile.
  await writeFile(path.join(folder, "0001_second.sql"), "create table second as select pg_sleep(0.2)::text;");
});

beforeEach(async () => {
  database = await emptyDatabase();
});

afterEach(() => database.drop());

afterAll(() => rm(folder, { recursive: true }));

test("two deployments at once migrate once", async () => {
  const applied = await Promise.all([migrate(database.url, folder), migrate(database.url, folder)]);
  expect(applied.toSorted()).toEqual([0, 2]);
});

test("of two that migrate the other finishes when the first is killed, and all of it is done once", async () => {
  const module = new URL("../../lib/db/migrations/migrate.ts", import.meta.url).href;
  const script = `const [url, folder] = process.argv.slice(1);
    console.log(await (await import("${module}")).migrate(url, folder));`;
  const start = (PGAPPNAME: string) =>
    spawn(process.execPath, ["--input-type=module", "-e", script, database.url, folder], {
      env: { PATH: process.env["PATH"], PGAPPNAME },
    });
  const waiting = () =>
    database.run(`
      select application_name as who, wait_event = 'advisory' as for_other from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' order by 2`);
  // Holds up the first where it has done much of its work.
  const other = new pg.Client(database.url);
  await other.connect();
  await other.query("begin; create schema drizzle");
  const started = { one: start("one"), two: start("two") };
  await expect.poll(async () => (await waiting()).map((row) => row["for_other"])).toEqual([false, true]);
  const isOneFirst = (await waiting())[0]?.["who"] === "one";
  const [first, second] = isOneFirst ? [started.one, started.two] : [started.two, started.one];
  let said = "";
  second.stdout.on("data", (chunk) => (said += chunk));
  first.kill("SIGKILL");
  await other.query("rollback");
  await other.end();
  const [code] = await once(second, "exit");
  expect([code, said]).toEqual([0, "2\n"]);
  expect(await migrate(database.url, folder)).toBe(0);
});

test("a database on which someone holds what is needed is left as it is, and the message says what to look at", async () => {
  const other = new pg.Client(database.url);
  await other.connect();
  await other.query("begin; select pg_advisory_xact_lock(7305144)");
  await expect(migrate(database.url, folder, "50ms")).rejects.toThrow(/not free within 50ms.*pg_locks/);
  await other.query("rollback");
  await other.end();
  expect(await migrate(database.url, folder)).toBe(2);
});

test("tables are had that requests lock in another order, one upon the other without end", async () => {
  const crossing = await mkdtemp(path.join(tmpdir(), "crossing-"));
  await cp(folder, crossing, { recursive: true });
  await migrate(database.url, folder);
  const entries = ["0000_first", "0001_second", "0002_crossing"].map((tag, idx) => ({
    idx,
    tag,
    when: idx + 1,
    breakpoints: true,
  }));
  await writeFile(path.join(crossing, "meta/_journal.json"), JSON.stringify({ entries }));
  const statements = ["alter table second add column a int;", "alter table first add column b int;"];
  await writeFile(path.join(crossing, "0002_crossing.sql"), statements.join("--> statement-breakpoint\n"));
  let goesOn = true;
  const request = "begin; insert into first values (1); select pg_sleep(0.05); select from second; commit";
  const requests = [1, 2, 3].map(async () => {
    const client = new pg.Client(database.url);
    await client.connect();
    while (goesOn) await client.query(request);
    await client.end();
  });
  try {
    expect(await migrate(database.url, crossing, "5s")).toBe(1);
  } finally {
    goesOn = false;
    await Promise.all(requests);
    await rm(crossing, { recursive: true });
  }
});

test("a migration that fails leaves nothing of itself, of those before it, or of its lock", async () => {
  const failing = await mkdtemp(path.join(tmpdir(), "failing-"));
  await cp(folder, failing, { recursive: true });
  await writeFile(path.join(failing, "0001_second.sql"), "select 1 / 0;");
  await expect(migrate(database.url, failing)).rejects.toThrow(/division by zero/);
  expect(
    await database.run("select tablename from pg_tables where schemaname in ('public', 'drizzle')"),
  ).toEqual([]);
  expect(await migrate(database.url, folder, "50ms")).toBe(2);
  await rm(failing, { recursive: true });
});

test("an up-to-date database is left as it is", async () => {
  expect(await migrate(database.url, folder)).toBe(2);
  expect(await migrate(database.url, folder)).toBe(0);
});

test("a migration that was changed after it had been applied is refused, and named", async () => {
  await migrate(database.url, folder);
  const changed = await mkdtemp(path.join(tmpdir(), "changed-"));
  await cp(folder, changed, { recursive: true });
  await writeFile(path.join(changed, "0000_first.sql"), "create table first (id bigint);");
  await expect(migrate(database.url, changed)).rejects.toThrow(/0000_first was changed after/);
  await rm(changed, { recursive: true });
});

test("a database that another history made is refused, says what to do, and is left as it is", async () => {
  await migrate(database.url, folder);
  await expect(migrate(database.url)).rejects.toThrow(/migrations that this version does not have.*DATA_DIR/);
  expect(await database.run("select tablename from pg_tables where schemaname = 'public'")).toHaveLength(2);
});

test("a database on which something else works is refused, and is left as it is; what an extension brings is nobody's", async () => {
  await database.run(`
    create extension hstore; create table brought_along (id int); alter extension hstore add table brought_along;
    create table customers (id int)`);
  await expect(migrate(database.url, folder)).rejects.toThrow(
    /something else, such as customers.*DATABASE_URL/,
  );
  expect(await database.run("select tablename from pg_tables where schemaname = 'public'")).toHaveLength(2);
  await database.run("drop table customers");
  expect(await migrate(database.url, folder)).toBe(2);
});

test("a database that a newer version has migrated is taken as it is", async () => {
  await migrate(database.url, folder);
  await database.run("insert into drizzle.__drizzle_migrations (hash, created_at) values ('newer', 9e12)");
  expect(await migrate(database.url, folder)).toBe(0);
});

test("clones of the template are migrated and apart from each other", async () => {
  const [one, two] = await Promise.all([cloneDatabase(), cloneDatabase()]);
  expect(await migrate(one.url)).toBe(0);
  const client = new pg.Client(one.url);
  await client.connect();
  await client.query("drop table generation_pieces");
  await client.end();
  await one.drop();

  const other = new pg.Client(two.url);
  await other.connect();
  expect((await other.query("select from generation_pieces")).rowCount).toBe(0);
  await other.end();
  await two.drop();
});
