import { type SQL, sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  connectDatabase,
  type DatabaseHandles,
  openConnectionWithoutTimeouts,
} from "../../../lib/platform/db/driver/connect.ts";
import { QUERY_TIMEOUT_MS } from "../../../lib/platform/db/driver/pool-options.ts";
import { migrate } from "../../../lib/platform/db/migrations/migrate.ts";
import { cloneDatabase, neonProxyAddress, type TestDatabase } from "../../support/database.ts";
import { debianPostgres, startDebianPostgres } from "../../support/debian-postgres.ts";
import { startRelay } from "../../support/relay.ts";

let clone: TestDatabase;
const opened: DatabaseHandles[] = [];

beforeEach(async () => {
  clone = await cloneDatabase();
  // The copy lacks these settings.
  await migrate(clone.url);
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()));
  await clone.drop();
});

async function open(url: string, driver: "pg" | "neon"): Promise<DatabaseHandles> {
  const neonProxy = neonProxyAddress(driver);
  const database = await connectDatabase({ url, ...(neonProxy && { neonProxy }) });
  opened.push(database);
  return database;
}

const inForce = sql`
  select current_setting('jit') as jit, setting::int as statement_timeout,
         current_setting('idle_in_transaction_session_timeout') as idle_timeout,
         current_setting('lock_timeout') as lock_timeout
  from pg_settings where name = 'statement_timeout'`;

const expected = {
  jit: "off",
  statement_timeout: QUERY_TIMEOUT_MS + 2_000,
  idle_timeout: "32s",
  lock_timeout: "2s",
};

describe.each(["pg", "neon"] as const)("on a migrated database, through %s", (driver) => {
  test("statements end shortly after their caller has gone, and are not compiled", async () => {
    const { db } = await open(clone.url, driver);
    expect((await db.execute(inForce)).rows).toEqual([expected]);
    expect((await db.transaction((tx) => tx.execute(inForce))).rows).toEqual([expected]);
  });
});

test("a lock is waited for as long as the setting says", async () => {
  await migrate(clone.url, { requestLockTimeoutMs: 1500 });
  const { db } = await open(clone.url, "pg");
  expect((await db.execute(inForce)).rows).toEqual([{ ...expected, lock_timeout: "1500ms" }]);
});

test("a separate session, as for migrations, has no time limit", async () => {
  const session = await openConnectionWithoutTimeouts(clone.url);
  const { rows } = await session.query(
    "select current_setting('statement_timeout') as timeout, current_setting('lock_timeout') as lock_timeout",
  );
  await session.end();
  expect(rows).toEqual([{ timeout: "0", lock_timeout: "0" }]);
});

test("a statement of a disconnected caller ends on the server, without effect", async () => {
  const name = new URL(clone.url).pathname.slice(1);
  await clone.run(`alter role current_user in database ${name} set statement_timeout = '500ms'`);
  const relay = await startRelay(Number(new URL(clone.url).port));
  const { db } = await open(Object.assign(new URL(clone.url), { port: String(relay.port) }).href, "pg");
  await db.execute(sql`create table things (id int)`);
  const abandoned = expect(
    db.execute(sql`insert into things select 1 from pg_sleep(3600)`),
  ).rejects.toThrow();
  await expect.poll(() => running("pg_sleep")).toBe(1);
  relay.cut();
  await abandoned;
  await expect.poll(() => running("pg_sleep")).toBe(0);
  expect(await clone.run("select from things")).toEqual([]);
  await relay.close();
});

const running = async (what: string): Promise<number> =>
  (
    await clone.run(
      `select from pg_stat_activity where state = 'active' and datname = current_database()
         and query like '%${what}%' and pid <> pg_backend_pid()`,
    )
  ).length;

const title = "on Debian's PostgreSQL, which compiles statements";

describe.skipIf(!debianPostgres)(debianPostgres ? title : `${title}: skipped, it is not installed`, () => {
  let server: Awaited<ReturnType<typeof startDebianPostgres>>;

  beforeAll(async () => {
    server = await startDebianPostgres(String(debianPostgres));
    await migrate(server.url);
  });

  afterAll(() => server.stop());

  test("the service's are not compiled, for any cost estimate", async () => {
    const { db } = await open(server.url, "pg");
    expect(await explained(db.execute.bind(db))).not.toContain("JIT");
    const compiling = await db.transaction(async (tx) => {
      await tx.execute(sql`set local jit = on`);
      return explained(tx.execute.bind(tx));
    });
    expect(compiling).toContain("JIT");
  });
});

/** The plan of a statement that returns few rows but is estimated at a thousand million. */
async function explained(execute: (statement: SQL) => Promise<{ rows: unknown[] }>): Promise<string> {
  const few = sql`generate_series(1, (select 1))`;
  const { rows } = await execute(sql`explain (analyze) select count(*) from ${few} a, ${few} b, ${few} c`);
  return JSON.stringify(rows);
}
