import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { inspectDatabase } from "../../../lib/platform/db/migrations/inspect.ts";
import { type MigrateOptions, migrate as migrateWith } from "../../../lib/platform/db/migrations/migrate.ts";
import type { SchemaSource } from "../../../lib/platform/db/migrations/schema.ts";
import { nodeArguments } from "../../../server/node-arguments.ts";
import { cloneDatabase, emptyDatabase, type TestDatabase } from "../../support/database.ts";
import { type Relay, startRelay } from "../../support/relay.ts";

/** A version with two migrations and two functions in its own folder. */
let first: SchemaSource;
let database: TestDatabase;

const texts = {
  count:
    "create or replace function counted() returns bigint language sql as $$\n  select count(*) from first\n$$;",
  view: "create or replace view counts as select counted();",
};

beforeAll(async () => {
  first = await schemaOf({
    "0000_first": "create table first (id int);",
    // Slow enough for a second deployment to arrive while it runs.
    "0001_second": "create table second as select pg_sleep(0.2)::text;",
  });
});

beforeEach(async () => {
  database = await emptyDatabase();
});

afterEach(() => database.drop());

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

async function schemaOf(
  migrations: Record<string, string>,
  functions = Object.values(texts),
): Promise<SchemaSource> {
  const folder = await mkdtemp(path.join(tmpdir(), "migrations-"));
  folders.push(folder);
  for (const part of ["migrations/meta", "functions"])
    await mkdir(path.join(folder, part), { recursive: true });
  const entries = Object.keys(migrations).map((tag, idx) => ({ idx, tag, when: idx + 1, breakpoints: true }));
  await writeFile(path.join(folder, "migrations/meta/_journal.json"), JSON.stringify({ entries }));
  for (const [tag, text] of Object.entries(migrations))
    await writeFile(path.join(folder, `migrations/${tag}.sql`), text);
  await writeFile(path.join(folder, "functions/counts.sql"), `${functions.join("\n\n")}\n`);
  return {
    migrations: path.join(folder, "migrations"),
    functions: path.join(folder, "functions"),
    retired: [],
    version: "1.0.0",
  };
}

/** The same version with one migration file overwritten. */
async function changed(file: string, text: string): Promise<SchemaSource> {
  const copy = await mkdtemp(path.join(tmpdir(), "migrations-"));
  folders.push(copy);
  await cp(first.migrations, copy, { recursive: true });
  await writeFile(path.join(copy, file), text);
  return { ...first, migrations: copy };
}

/** The number of applied migrations. */
const migrate = async (url: string, schema: SchemaSource, options: MigrateOptions = {}) =>
  (await migrateWith(url, { schema, ...options })).migrations;

/** Migrates in its own process, which prints the number. */
function startMigrating(url: string, schema: SchemaSource, PGAPPNAME = "migrating"): ChildProcess {
  const module = new URL("../../../lib/platform/db/migrations/migrate.ts", import.meta.url).href;
  const script = `const [url, schema] = process.argv.slice(1);
    const { migrations } = await (await import("${module}")).migrate(url, { schema: JSON.parse(schema) });
    console.log(migrations);`;
  const words = [...nodeArguments, "--input-type=module", "-e", script, url, JSON.stringify(schema)];
  return spawn(process.execPath, words, { env: { PATH: process.env["PATH"], PGAPPNAME } });
}

/** Everything that the migrations and functions created. */
const made = () =>
  database.run(`
    select (select string_agg(relname || ' ' || relkind::text, ',' order by relname) from pg_class
            where relnamespace = 'public'::regnamespace) as relations,
           (select string_agg(proname, ',') from pg_proc where pronamespace = 'public'::regnamespace) as functions,
           (select string_agg(hash, ',' order by id) from drizzle.__drizzle_migrations) as migrations,
           (select string_agg(object, ',' order by object) from drizzle.applied_functions) as applied,
           (select count(*) from drizzle.applied_versions)::int as versions`);

test("two concurrent deployments migrate once", async () => {
  const applied = await Promise.all([migrate(database.url, first), migrate(database.url, first)]);
  expect(applied.toSorted()).toEqual([0, 2]);
});

test("of two that migrate the other finishes when the first is killed, and all of it is done once", async () => {
  const waiting = () =>
    database.run(`
      select application_name as who, wait_event = 'advisory' as for_other from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' order by 2`);
  // Blocks the first late in its work.
  const other = new pg.Client(database.url);
  await other.connect();
  await other.query("begin; create schema drizzle");
  const started = {
    one: startMigrating(database.url, first, "one"),
    two: startMigrating(database.url, first, "two"),
  };
  await expect.poll(async () => (await waiting()).map((row) => row["for_other"])).toEqual([false, true]);
  const isOneFirst = (await waiting())[0]?.["who"] === "one";
  const [former, latter] = isOneFirst ? [started.one, started.two] : [started.two, started.one];
  let said = "";
  latter.stdout?.on("data", (chunk) => (said += chunk));
  former.kill("SIGKILL");
  await other.query("rollback");
  await other.end();
  const [code] = await once(latter, "exit");
  expect([code, said]).toEqual([0, "2\n"]);
  expect(await migrate(database.url, first)).toBe(0);
});

test("one that is killed at any of its statements continues with the next run, with the same result", {
  timeout: 300_000,
}, async () => {
  const schema = await schemaOf({
    "0000_first": "create table first (id int);--> statement-breakpoint\ninsert into first values (1), (2);",
    "0001_steps": `-- in steps
create index concurrently if not exists first_index on first (id);--> statement-breakpoint
alter table first add column if not exists is_counted boolean;--> statement-breakpoint
with one as (update first set is_counted = true where id = (select min(id) from first where is_counted is null) returning 1)
select count(*) > 0 from one;`,
    "0002_second": "create table second (id int);",
  });
  await migrate(database.url, schema);
  const wanted = await made();
  const port = Number(new URL(database.url).port);
  let stopped = 0;
  for (let turn = 1, isWhole = false; !isWhole; turn += 1) {
    await database.run(
      "drop schema public cascade; create schema public; drop schema if exists drizzle cascade",
    );
    const relay = await startRelay(port);
    const url = Object.assign(new URL(database.url), { port: relay.port }).href;
    // Processes start slowly. The server sees the end of one only as closed connections.
    isWhole = await (turn % 12 === 0 ? killedAt : cutAt)(relay, turn, url, schema);
    await relay.close();
    stopped += isWhole ? 0 : 1;
    const left = await migrate(database.url, schema);
    expect(left, `after turn ${turn}`).toBeLessThanOrEqual(isWhole ? 0 : 3);
    expect(await made(), `after turn ${turn}`).toEqual(wanted);
    expect(await database.run("select count(*)::int as rows from first where is_counted")).toEqual([
      { rows: 2 },
    ]);
  }
  expect(stopped).toBeGreaterThan(30);
});

/** Kills a migrating process at its nth request. Returns true if it finished before. */
async function killedAt(relay: Relay, turn: number, url: string, schema: SchemaSource): Promise<boolean> {
  const migrating = startMigrating(url, schema);
  relay.atTurn(turn, () => migrating.kill("SIGKILL"));
  const [code] = await once(migrating, "exit");
  return code === 0;
}

/** Cuts its connections at that request. */
async function cutAt(relay: Relay, turn: number, url: string, schema: SchemaSource): Promise<boolean> {
  relay.atTurn(turn, () => relay.cut());
  return migrate(url, schema).then(
    () => true,
    () => false,
  );
}

test("a database with locked tables stays unchanged, and the message says what to check", async () => {
  const other = new pg.Client(database.url);
  await other.connect();
  await other.query("begin; select pg_advisory_xact_lock(7305144)");
  await expect(migrate(database.url, first, { lockTimeout: "50ms" })).rejects.toThrow(
    /locked for 50ms.*pg_locks/,
  );
  await other.query("rollback");
  await other.end();
  expect(await migrate(database.url, first)).toBe(2);
});

test("tables are had that requests lock in another order, one upon the other without end", async () => {
  const statements = ["alter table second add column a int;", "alter table first add column b int;"];
  const crossing = await schemaOf({
    "0000_first": "create table first (id int);",
    "0001_second": "create table second as select pg_sleep(0.2)::text;",
    "0002_crossing": statements.join("--> statement-breakpoint\n"),
  });
  await migrate(database.url, first);
  let goesOn = true;
  const request = "begin; insert into first values (1); select pg_sleep(0.05); select from second; commit";
  const requests = [1, 2, 3].map(async () => {
    const client = new pg.Client(database.url);
    await client.connect();
    while (goesOn) await client.query(request);
    await client.end();
  });
  try {
    expect(await migrate(database.url, crossing, { lockTimeout: "5s" })).toBe(1);
  } finally {
    goesOn = false;
    await Promise.all(requests);
  }
});

test("a migration that fails leaves nothing of itself, of those before it, or of its lock", async () => {
  const failing = await changed("0001_second.sql", "select 1 / 0;");
  await expect(migrate(database.url, failing)).rejects.toThrow(/division by zero/);
  expect(
    await database.run("select tablename from pg_tables where schemaname in ('public', 'drizzle')"),
  ).toEqual([]);
  expect(await migrate(database.url, first, { lockTimeout: "50ms" })).toBe(2);
});

test("a failing function leaves neither itself nor the migrations of its version", async () => {
  const wrong = texts.count.replace("from first", "from nowhere");
  const failing = await schemaOf({ "0000_first": "create table first (id int);" }, [texts.view, wrong]);
  await expect(migrate(database.url, failing)).rejects.toThrow(
    'schema/functions/counts.sql:4: relation "nowhere" does not exist',
  );
  expect(
    await database.run("select relname from pg_class where relnamespace = 'public'::regnamespace"),
  ).toEqual([]);
  expect(await migrate(database.url, first)).toBe(2);
});

test("a migration drops a column that a view shows, and the view is as its text says again", async () => {
  await migrate(
    database.url,
    await schemaOf({ "0000_first": "create table first (id int, former int);" }, [
      texts.count,
      "create or replace view shown as select id, former from first;",
    ]),
  );
  const next = await schemaOf(
    {
      "0000_first": "create table first (id int, former int);",
      "0001_second": "alter table first drop column former;",
    },
    [texts.count, "create or replace view shown as select id from first;"],
  );
  expect(await migrate(database.url, next)).toBe(1);
  expect(await database.run("select pg_get_viewdef('shown'::regclass) as shown")).toEqual([
    { shown: " SELECT id\n   FROM first;" },
  ]);
});

test("an up-to-date database is not changed", async () => {
  expect(await migrate(database.url, first)).toBe(2);
  expect(await migrate(database.url, first)).toBe(0);
});

test("a migration that changed after its application is rejected, and named", async () => {
  await migrate(database.url, first);
  const other = await changed("0000_first.sql", "create table first (id bigint);");
  await expect(migrate(database.url, other)).rejects.toThrow(/0000_first was edited after/);
});

test("a database from before the first migration is rejected, with the remedy, and not changed", async () => {
  await migrate(database.url, first);
  const told = new RegExp(
    "^The database was created before version 1\\.0\\.0, and cannot be migrated\\. Set DATABASE_URL to an empty " +
      "database, or start a local one with `npm run dev -- --fresh`, which keeps the old folder$",
  );
  await expect(migrateWith(database.url)).rejects.toThrow(told);
  await expect(inspectDatabase(database.url)).rejects.toThrow(told);
  expect(await database.run("select tablename from pg_tables where schemaname = 'public'")).toHaveLength(2);
});

test("a database of another program is rejected and stays unchanged; objects of extensions are allowed", async () => {
  await database.run(`
    create extension hstore; create table brought_along (id int); alter extension hstore add table brought_along;
    create table customers (id int)`);
  await expect(migrate(database.url, first)).rejects.toThrow(
    /another application, such as customers.*DATABASE_URL/,
  );
  expect(await database.run("select tablename from pg_tables where schemaname = 'public'")).toHaveLength(2);
  await database.run("drop table customers");
  expect(await migrate(database.url, first)).toBe(2);
});

test("a database with a migration of a newer version is rejected, and not changed", async () => {
  await migrate(database.url, first);
  const before = await made();
  await database.run("insert into drizzle.__drizzle_migrations (hash, created_at) values ('newer', 9e12)");
  await expect(migrate(database.url, first)).rejects.toThrow(
    /newer version than this one \(1\.0\.0\)\. Nothing was changed/,
  );
  await database.run("delete from drizzle.__drizzle_migrations where hash = 'newer'");
  expect(await made()).toEqual(before);
});

test("a database with functions of a newer version is rejected, and keeps them", async () => {
  const wider = texts.count.replace("select count(*)", "select 1 + count(*)");
  const newer = await schemaOf(
    {
      "0000_first": "create table first (id int);",
      "0001_second": "create table second as select pg_sleep(0.2)::text;",
    },
    [wider, texts.view],
  );
  await migrate(database.url, first);
  await migrate(database.url, { ...newer, version: "1.10.0" });
  await expect(migrate(database.url, { ...first, version: "1.9.0" })).rejects.toThrow(
    /newer version \(1\.10\.0\) than this one \(1\.9\.0\)/,
  );
  expect(await database.run("select counted()::int")).toEqual([{ counted: 1 }]);
});

test("clones of the template are migrated and apart from each other", async () => {
  const [one, two] = await Promise.all([cloneDatabase(), cloneDatabase()]);
  expect(await migrateWith(one.url)).toEqual({ migrations: 0, functions: 0, unlisted: [] });
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
