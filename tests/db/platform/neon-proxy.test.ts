import { sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { connectDatabase, type DatabaseHandles } from "../../../lib/platform/db/driver/connect.ts";
import { queryStatsStorage } from "../../../lib/platform/db/driver/observe.ts";
import { runWithFollowingCheck } from "../../../lib/platform/db/driver/pipelined-batch.ts";
import { databaseErrorReasonAndCode, isDatabaseUnavailable } from "../../../lib/platform/db/unavailable.ts";
import { administer, cloneDatabase, type TestDatabase } from "../../support/database.ts";
import { type NeonProxyStandIn, startNeonProxyStandIn } from "../../support/neon-proxy-stand-in.ts";
import { type Relay, startRelay } from "../../support/relay.ts";

let clone: TestDatabase;
let proxy: NeonProxyStandIn;
let relay: Relay;
const opened: DatabaseHandles[] = [];

beforeEach(async () => {
  clone = await cloneDatabase();
  await clone.run("create table notes_of_test (id int generated always as identity)");
  proxy = await startNeonProxyStandIn(Number(new URL(clone.url).port));
  relay = await startRelay(Number(proxy.address.split(":")[1]));
});

afterEach(async () => {
  vi.useRealTimers();
  proxy.setMood("well");
  await Promise.all(opened.splice(0).map((database) => database.close()));
  relay.cut();
  await relay.close();
  await proxy.close();
  await clone.drop();
});

async function open(url = clone.url): Promise<DatabaseHandles> {
  const database = await connectDatabase({ url, neonProxy: `127.0.0.1:${relay.port}` });
  opened.push(database);
  return database;
}

const read = async ({ reads }: DatabaseHandles) =>
  await reads.execute(sql`select count(*)::int as rows from notes_of_test`);
const write = async ({ db }: DatabaseHandles) =>
  await db.execute(sql`insert into notes_of_test default values`);
const transaction = ({ db }: DatabaseHandles) =>
  db.transaction((tx) => tx.execute(sql`insert into notes_of_test default values`));
const errorOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error) => error,
  );
const ways = [
  ["a read", read],
  ["a write", write],
  ["a transaction", transaction],
] as const;

async function turns(work: () => Promise<unknown>): Promise<number> {
  const before = relay.turns();
  await work();
  return relay.turns() - before;
}

describe("a proxy that accepts the password", () => {
  test("answers the first statement after two turns, and each further one after one", async () => {
    const database = await open();
    expect(await turns(() => read(database))).toBe(2);
    expect(await turns(() => read(database))).toBe(1);
    expect(
      await turns(() =>
        runWithFollowingCheck(
          () => read(database),
          () => read(database),
        ),
      ),
    ).toBe(1);
  });

  test("rejects a wrong one, which does not mean an unavailable database", async () => {
    const error = await errorOf(read(await open(Object.assign(new URL(clone.url), { password: "no" }).href)));
    expect(error).toMatchObject({ cause: { code: "28P01" } });
    expect(isDatabaseUnavailable(error)).toBe(false);
  });
});

describe("a proxy that requires SCRAM", () => {
  const role = "scram_of_neon_proxy";

  async function openByScram(password = "secret"): Promise<DatabaseHandles> {
    await administer(`drop role if exists ${role}`);
    await administer(`create role ${role} login superuser password 'secret'`);
    return open(Object.assign(new URL(clone.url), { username: role, password }).href);
  }

  afterEach(() => administer(`drop role if exists ${role}`));

  test.each(ways)("gets it, and %s is done once", async (_, work) => {
    const database = await openByScram();
    const { rows } = await queryStatsStorage.run({ count: 0, duration_ms: 0 }, async () => {
      await work(database);
      return database.reads.execute<{ rows: number }>(sql`select count(*)::int as rows from notes_of_test`);
    });
    expect(rows).toEqual([{ rows: work === read ? 0 : 1 }]);
  });

  test("is known to the pool after its first question", async () => {
    const database = await openByScram();
    await read(database);
    const cost = await database.db.transaction(() => turns(() => read(database)));
    expect(cost).toBe(5);
  });

  test("rejects a wrong password", async () => {
    const error = await errorOf(read(await openByScram("wrong")));
    expect(error).toMatchObject({ cause: { code: "28P01" } });
  });
});

describe("a proxy that rejects", () => {
  test.each(ways)("makes the database unavailable to %s, until it accepts", async (_, work) => {
    const database = await open();
    proxy.setMood("refusing");
    const error = await errorOf(work(database));
    expect(databaseErrorReasonAndCode(error)).toMatchObject({ reason: "database_unreachable" });
    expect(String((error as Error).cause)).toContain(`Cannot connect: 127.0.0.1:${relay.port}`);
    proxy.setMood("well");
    await work(database);
  });
});

describe("a proxy that stalls", () => {
  test.each(ways)(
    "at the sign-in, makes the database unavailable to %s after ten seconds",
    async (_, work) => {
      const database = await open();
      proxy.setMood("silent");
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      // Transactions retry their begin; no other request is sent twice.
      const asked = errorOf(work(database));
      for (let attempt = 0; attempt < (work === transaction ? 2 : 1); attempt += 1) {
        // The WebSocket request and the sign-in.
        await proxy.heard();
        await proxy.heard();
        await vi.advanceTimersByTimeAsync(10_000);
      }
      const error = await asked;
      expect(isDatabaseUnavailable(error)).toBe(true);
      expect(String((error as Error).cause)).toContain("Sign-in timeout");
      vi.useRealTimers();
      proxy.setMood("well");
      await work(database);
    },
  );

  test("before there is a WebSocket, makes the database unavailable after ten seconds", async () => {
    const database = await open();
    proxy.setMood("mute");
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const asked = errorOf(read(database));
    await proxy.heard();
    await vi.advanceTimersByTimeAsync(10_000);
    const error = await asked;
    expect(isDatabaseUnavailable(error)).toBe(true);
    expect(String((error as Error).cause)).toContain("timeout");
    vi.useRealTimers();
    proxy.setMood("well");
    await read(database);
  });

  test("amid a statement, makes the database unavailable after thirty, and the connection is closed", async () => {
    const database = await open();
    await read(database);
    proxy.setMood("silent");
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const asked = errorOf(read(database));
    await proxy.heard();
    await vi.advanceTimersByTimeAsync(30_000);
    expect(isDatabaseUnavailable(await asked)).toBe(true);
    vi.useRealTimers();
    proxy.setMood("well");
    expect(await turns(() => read(database))).toBe(2);
  });
});

describe("a proxy that closes amid a statement", () => {
  test("has a read sent again", async () => {
    const database = await open();
    await read(database);
    proxy.setMood("closing");
    // The statement, closing the connection, and the statement on a new connection.
    expect(await turns(() => read(database))).toBe(1 + 1 + 2);
  });

  test("makes a write an error, which is not sent again", async () => {
    const database = await open();
    await read(database);
    proxy.setMood("closing");
    const error = await errorOf(write(database));
    expect(isDatabaseUnavailable(error)).toBe(true);
    expect((await read(database)).rows).toEqual([{ rows: 1 }]);
  });
});

describe("statements of a batch", () => {
  test("are one transaction: a write whose check failed is rolled back, and repeated alone", async () => {
    const database = await open();
    await read(database);
    const failing = () => database.db.execute(sql`select ${0}::int / 0`);
    await expect(runWithFollowingCheck(() => write(database), failing)).rejects.toMatchObject({
      cause: { code: "22012" },
    });
    expect((await read(database)).rows).toEqual([{ rows: 1 }]);
  });

  test("fail alone if their values cannot be serialized", async () => {
    const database = await open();
    await read(database);
    const unwritable = () => database.reads.execute(sql`select ${{ toPostgres: () => raise() }}::text`);
    const [outcome, { rows }] = await runWithFollowingCheck(unwritable, () => read(database));
    expect(outcome).toMatchObject({ status: "rejected" });
    expect(rows).toEqual([{ rows: 0 }]);
    expect((await read(database)).rows).toEqual([{ rows: 0 }]);
  });
});

function raise(): never {
  throw new Error("cannot be written");
}
