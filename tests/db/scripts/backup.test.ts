import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { connectDatabase } from "../../../lib/platform/db/driver/connect.ts";
import { migrate } from "../../../lib/platform/db/migrations/migrate.ts";
import { backUp } from "../../../scripts/ops/backup/back-up.ts";
import { addressOf, checkDump, checkRestore, majorOfFile } from "../../../scripts/ops/backup/programs.ts";
import { restoreFrom } from "../../../scripts/ops/backup/restore-from.ts";
import { seed } from "../../../scripts/seed.ts";
import { emptyDatabase } from "../../support/database.ts";
import { debianPostgres, startDebianPostgres } from "../../support/debian-postgres.ts";
import { startStatements, stopUnrefused } from "../../support/load.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "backup-"));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Reads and writes that run while a backup is made, at turn `$1`. */
const requests = [
  `insert into user_content_progress (user_id, course_offering_id, content_item_id, progress_percent)
   select user_id, course_offering_id, content_items.id, $1::int % 100
   from enrollments join course_offerings on course_offerings.id = course_offering_id
   join content_items using (course_id) order by content_items.id limit 1
   on conflict (user_id, course_offering_id, content_item_id) do update set progress_percent = excluded.progress_percent`,
  "insert into users (email, full_name) values ('backup-' || $1::int || '@example.edu', 'Person')",
  "select searched('Name ' || $1::int), title from content_items order by id desc limit 5",
];

const title = "a backup, with the programs of Debian's PostgreSQL";

describe.skipIf(!debianPostgres)(debianPostgres ? title : `${title}: skipped, it is not installed`, () => {
  let server: Awaited<ReturnType<typeof startDebianPostgres>>;
  const database = (name: string) => server.url.replace(/\/postgres$/, `/${name}`);

  beforeAll(async () => {
    vi.stubEnv("PATH", `${debianPostgres}${path.delimiter}${process.env["PATH"]}`);
    server = await startDebianPostgres(String(debianPostgres));
    await run(server.url, "create database kept", "create database fresh", "create database loaded");
    // JIT compilation takes longer than the migrations.
    await run(server.url, "alter system set jit = off", "select pg_reload_conf()");
  });

  afterAll(async () => {
    vi.unstubAllEnvs();
    await server.stop();
  });

  async function run(url: string, ...statements: string[]) {
    const client = new pg.Client(url);
    await client.connect();
    const results = [];
    for (const statement of statements) results.push(await client.query(statement));
    await client.end();
    return results.at(-1)?.rows ?? [];
  }

  it("contains everything, is for its owner only, and restores an empty database to the same state", async () => {
    await migrate(database("kept"));
    const { db, close } = await connectDatabase({ url: database("kept") });
    await seed(db, { now: new Date(), bcryptCost: 4 });
    await close();
    const file = path.join(folder, "kept.dump");
    await backUp(database("kept"), file);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await expect(backUp(database("kept"), file)).rejects.toThrow("already exists");
    expect(await restoreFrom(database("fresh"), file)).toBe(0);
    const rows = `select
      (select md5(string_agg(one::text, '' order by id)) from users as one) as users,
      (select md5(string_agg(one::text, '' order by id)) from content_items as one) as items,
      (select count(*) from pg_proc where pronamespace = 'public'::regnamespace) as functions,
      (select count(*) from pg_indexes where schemaname = 'public') as indexes`;
    expect(await run(database("fresh"), rows)).toEqual(await run(database("kept"), rows));
    // Event numbers are transaction ids of a server. A new server restarts them and lists earlier events
    // first.
    const ahead = "select count(*)::int as events from activity_events where change_number <> 0";
    expect(await run(database("kept"), ahead)).not.toEqual([{ events: 0 }]);
    expect(await run(database("fresh"), ahead)).toEqual([{ events: 0 }]);
    const [setting] = await run(database("fresh"), "show statement_timeout");
    expect(setting).toEqual({ statement_timeout: "32s" });

    await expect(restoreFrom(database("kept"), file)).rejects.toThrow("The database is not empty");

    // Programs of the file's version, which is older than this server.
    expect(await majorOfFile(file)).toBeLessThan(18);
    const newer = await emptyDatabase();
    expect(await restoreFrom(newer.url, file)).toBe(0);
    expect(await newer.run(rows)).toEqual(await run(database("kept"), rows));
    await newer.drop();
  });

  it("refuses no request while it runs, and holds what was written before it", async () => {
    const count = "select count(*)::int as users from users";
    const [before] = await run(database("kept"), count);
    const loads = await Promise.all(requests.map((one) => startStatements(database("kept"), one)));
    const file = path.join(folder, "loaded.dump");
    await backUp(database("kept"), file);
    await stopUnrefused(loads);
    expect(await restoreFrom(database("loaded"), file)).toBe(0);
    const [restored] = await run(database("loaded"), count);
    expect(restored?.users).toBeGreaterThanOrEqual(before?.users);
  });
});

it("a program older than the server, or than the file's, is rejected, with the version to install", async () => {
  const empty = await emptyDatabase();
  vi.stubEnv("PATH", folder);
  await expect(checkDump(empty.url)).rejects.toThrow(
    /pg_dump is not installed, and the server is PostgreSQL 18.*postgresql-client-18/s,
  );
  const file = path.join(folder, "of-23.dump");
  await writeFile(file, headOf("23.1 (Debian 23.1-1)"));
  await writeFile(path.join(folder, "pg_restore"), "#!/bin/sh\necho 'pg_restore (PostgreSQL) 18.4'\n", {
    mode: 0o755,
  });
  vi.stubEnv("PATH", `${folder}${path.delimiter}/bin`);
  await expect(checkRestore(empty.url, file)).rejects.toThrow(
    /pg_restore is of PostgreSQL 18, and the file is of PostgreSQL 23.*postgresql-client-23/s,
  );
  await writeFile(file, headOf("15.2"));
  await checkRestore(empty.url, file);
  await writeFile(file, "select 1;");
  await expect(checkRestore(empty.url, file)).rejects.toThrow("is not a backup");
  vi.unstubAllEnvs();
  await empty.drop();
});

/** The head of a dump by this version of pg_dump, with server and database names that look like versions. */
function headOf(version: string): Buffer {
  const number = (value: number) => Buffer.from([0, value, 0, 0, 0]);
  const text = (value: string) => [number(value.length), Buffer.from(value)];
  return Buffer.concat([
    Buffer.from("PGDMP"),
    Buffer.from([1, 16, 0, 4, 8, 1, 1]),
    ...Array.from({ length: 7 }, () => number(9)),
    ...[...text("17.4"), ...text("99.1"), ...text(version)],
    number(3),
  ]);
}

it("the password reaches PostgreSQL's programs by the environment, which others cannot see", () => {
  const url = "postgresql://ada:p%40ss@ep-cool-pooler.eu-central-1.aws.neon.tech/learning?sslmode=require";
  expect(addressOf(url)).toMatchObject({
    PGHOST: "ep-cool.eu-central-1.aws.neon.tech",
    PGUSER: "ada",
    PGPASSWORD: "p@ss",
    PGDATABASE: "learning",
    PGSSLMODE: "verify-full",
  });
});
