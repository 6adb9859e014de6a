import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { connectDatabase, type DatabaseHandles } from "../../../lib/platform/db/driver/connect.ts";
import { runWithFollowingCheck } from "../../../lib/platform/db/driver/pipelined-batch.ts";
import { isDatabaseUnavailable } from "../../../lib/platform/db/unavailable.ts";
import { administer, cloneDatabase, neonProxyAddress, type TestDatabase } from "../../support/database.ts";
import { type Relay, startRelay } from "../../support/relay.ts";

const insert = sql`insert into notes_of_test default values`;
const count = sql`select count(*)::int as rows from notes_of_test`;

const idleTimeoutMs = 1000;

/** Blocks this process completely, like a frozen container. */
const freeze = (milliseconds: number) =>
  void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);

describe.each(["pg", "neon"] as const)("through %s, with a network that fails", (driver) => {
  let clone: TestDatabase;
  let relay: Relay;
  let database: DatabaseHandles;

  beforeAll(async () => {
    clone = await cloneDatabase();
    const url = new URL(clone.url);
    const proxy = neonProxyAddress(driver);
    relay = await startRelay(Number(proxy?.split(":")[1] ?? url.port));
    if (!proxy) url.port = String(relay.port);
    database = await connectDatabase({
      url: url.href,
      idleTimeoutMs,
      ...(proxy && { neonProxy: `127.0.0.1:${relay.port}` }),
    });
    await database.db.execute(sql`create table notes_of_test (id int generated always as identity)`);
  });

  afterAll(async () => {
    await database.close();
    relay.cut();
    await relay.close();
    await clone.drop();
  });

  const rows = async () => (await database.db.execute<{ rows: number }>(count)).rows[0]?.rows;
  const select = () => database.reads.execute(sql`select 1`);
  const transaction = () => database.db.transaction((tx) => tx.execute(insert));

  /** Leaves idle connections of both drivers in the pool. */
  async function warmUp(): Promise<void> {
    await select();
    await database.db.transaction((tx) => tx.execute(sql`select 1`));
  }

  const terminate = () =>
    administer(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = '${new URL(clone.url).pathname.slice(1)}' and pid <> pg_backend_pid()`,
    );

  test.each([
    ["a read", select],
    ["a write", () => database.db.execute(insert)],
    ["a transaction", transaction],
  ])("%s works after the server ended the idle connections", async (_, query) => {
    await warmUp();
    await terminate();
    await query();
  });

  test.each([
    ["a read", select],
    ["a transaction", transaction],
  ])("%s works immediately after the network cut the idle connections", async (_, query) => {
    await warmUp();
    relay.cut();
    await query();
  });

  test("a write works after the connections broke while the process was frozen", async () => {
    await warmUp();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 150 });
    onTestFinished(() => void vi.useRealTimers());
    relay.cut();
    await database.db.execute(insert);
  });

  test("a write works after the network forgot the connections while the process was frozen", async () => {
    await warmUp();
    relay.forget();
    freeze(idleTimeoutMs + 100);
    // On a dead connection this would run into the statement timeout.
    await database.db.execute(insert);
  });

  test("a write with a lost response is an error, and is not executed twice", async () => {
    await warmUp();
    const before = await rows();
    relay.cutBeforeNextAnswer();
    const error = await database.db.execute(insert).catch((error: unknown) => error);
    expect(isDatabaseUnavailable(error)).toBe(true);
    expect(await rows()).toBe(Number(before) + 1);
  });

  test("a read with a lost response is sent again, by its handle, whatever its text", async () => {
    await warmUp();
    relay.cutBeforeNextAnswer();
    await select();
    relay.cutBeforeNextAnswer();
    const error = await database.db.execute(sql`select 1`).catch((error: unknown) => error);
    expect(isDatabaseUnavailable(error)).toBe(true);
  });

  test("a write by a read-only handle is our bug, one by a writable handle means an unavailable database", async () => {
    const writeReadOnly = sql`select set_config('transaction_read_only', 'on', true), nextval('ids_of_test')`;
    await database.db.execute(sql`create sequence if not exists ids_of_test`);
    const refused = await database.reads.execute(writeReadOnly).catch((error: unknown) => error);
    expect(refused).toHaveProperty("cause.code", "25006");
    expect(isDatabaseUnavailable(refused)).toBe(false);
    const away = await database.db.execute(writeReadOnly).catch((error: unknown) => error);
    expect(isDatabaseUnavailable(away)).toBe(true);
  });

  test("a connection that breaks within a transaction is an error, and does no harm to the next", async () => {
    const before = await rows();
    const broken = database.db.transaction(async (tx) => {
      await tx.execute(insert);
      relay.cut();
      await tx.execute(insert);
    });
    expect(isDatabaseUnavailable(await broken.catch((error: unknown) => error))).toBe(true);
    await transaction();
    expect(await rows()).toBe(Number(before) + 1);
  });

  const loseFirst = (work: () => Promise<unknown>) => (lose: () => void) => {
    lose();
    return work();
  };

  test.each([
    ["a read", loseFirst(select)],
    ["a write", loseFirst(() => database.db.execute(insert))],
    ["a batch", loseFirst(() => runWithFollowingCheck(select, select))],
    [
      "a statement of a transaction",
      (lose: () => void) =>
        database.db.transaction(async (tx) => {
          await tx.execute(sql`select 1`);
          lose();
          await tx.execute(insert);
        }),
    ],
  ])("%s without an answer is an error after 30 seconds, and its connection is closed", async (_, work) => {
    await warmUp();
    const before = await rows();
    onTestFinished(() => void vi.useRealTimers());
    let isPending = true;
    const outcome = Promise.allSettled([
      work(() => {
        relay.forget();
        vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      }),
    ]).finally(() => {
      isPending = false;
    });
    while (!vi.isFakeTimers() || vi.getTimerCount() === 0) await new Promise(setImmediate);
    await vi.advanceTimersByTimeAsync(29_999);
    expect(isPending).toBe(true);
    await vi.advanceTimersByTimeAsync(1);
    const [{ status, reason }] = (await outcome) as [PromiseRejectedResult];
    expect(status).toBe("rejected");
    expect(isDatabaseUnavailable(reason)).toBe(true);
    expect(String(reason.cause)).toContain("timeout");
    vi.useRealTimers();
    expect(await rows()).toBe(before);
  });

  test("transactions with a failed BEGIN begin again, and leave no connection behind", async () => {
    await warmUp();
    for (let time = 0; time < 5; time += 1) {
      relay.cutBeforeNextAnswer();
      await transaction();
    }
  });
});

test.each(["pg", "neon"] as const)("through %s, a missing server is unavailable", async (driver) => {
  const url = "postgresql://ada:pw@127.0.0.1:9/x";
  const { db, close } = await connectDatabase({
    url,
    ...(driver === "neon" && { neonProxy: "127.0.0.1:9" }),
  });
  const failures = [db.execute(sql`select 1`), db.transaction((tx) => tx.execute(sql`select 1`))];
  for (const failure of await Promise.allSettled(failures))
    expect(isDatabaseUnavailable("reason" in failure && failure.reason)).toBe(true);
  await close();
});
