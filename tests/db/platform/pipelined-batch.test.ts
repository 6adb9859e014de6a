import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectDatabase, type DatabaseHandles } from "../../../lib/platform/db/driver/connect.ts";
import { queryStatsStorage } from "../../../lib/platform/db/driver/observe.ts";
import { runWithFollowingCheck } from "../../../lib/platform/db/driver/pipelined-batch.ts";
import { runWithPrecedingRead } from "../../../lib/platform/db/preceding-read.ts";
import { isDatabaseUnavailable } from "../../../lib/platform/db/unavailable.ts";
import { cloneDatabase, neonProxyAddress, type TestDatabase } from "../../support/database.ts";
import { type Relay, startRelay } from "../../support/relay.ts";

describe.each(["pg", "neon"] as const)("through %s, a check in another statement's round trip", (driver) => {
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
      ...(proxy && { neonProxy: `127.0.0.1:${relay.port}` }),
    });
    await database.db.execute(sql`create sequence ticks`);
    // Opens all connections first, because opening one takes extra round trips.
    await Promise.all([ticks(), ticks()]);
  });

  afterAll(async () => {
    await database.close();
    relay.cut();
    await relay.close();
    await clone.drop();
  });

  const tick = sql`select nextval('ticks')::int as tick`;
  const ticks = async (): Promise<number> => Number((await database.db.execute(tick)).rows[0]?.["tick"]);
  const said = (word: string) => async () =>
    (await database.reads.execute(sql`select ${word}::text as word`)).rows[0];
  const failing = () => database.db.execute(sql`select ${0}::int / 0`);

  /** The round trips of work by the request's count and by the network's. */
  async function cost(work: () => Promise<unknown>) {
    await work();
    const stats = { count: 0, duration_ms: 0 };
    const before = relay.turns();
    await queryStatsStorage.run(stats, work);
    return { noted: stats.count, seen: relay.turns() - before };
  }

  test("costs no separate round trip", async () => {
    expect(await cost(() => runWithFollowingCheck(said("work"), said("check")))).toEqual({
      noted: 1,
      seen: 1,
    });
    expect(await cost(() => runWithFollowingCheck(said("work"), said("check")))).toEqual({
      noted: 1,
      seen: 1,
    });
  });

  test("returns the same as alone, and so does the other", async () => {
    const [outcome, checked] = await runWithFollowingCheck(said("work"), said("check"));
    expect(outcome).toEqual({ status: "fulfilled", value: { word: "work" } });
    expect(checked).toEqual({ word: "check" });
  });

  test("runs behind the other one", async () => {
    const [outcome, checked] = await runWithFollowingCheck(ticks, ticks);
    expect(outcome.status === "fulfilled" && outcome.value).toBe(checked - 1);
  });

  test("is sent with the first of several statements, and the others cost the same as before", async () => {
    const several = async () => [await ticks(), await ticks()];
    expect(await cost(() => runWithFollowingCheck(several, ticks))).toEqual({ noted: 2, seen: 2 });
    const [outcome, checked] = await runWithFollowingCheck(several, ticks);
    expect(outcome.status === "fulfilled" && outcome.value).toEqual([checked - 1, checked + 1]);
  });

  test("is sent alone without another statement", async () => {
    const [outcome, checked] = await runWithFollowingCheck(async () => "nothing", said("check"));
    expect([outcome, checked]).toEqual([{ status: "fulfilled", value: "nothing" }, { word: "check" }]);
    expect(await cost(() => runWithFollowingCheck(async () => "nothing", ticks))).toEqual({
      noted: 1,
      seen: 1,
    });
  });

  test("succeeds although the other fails, whose error is thrown", async () => {
    const [outcome, checked] = await runWithFollowingCheck(failing, said("check"));
    expect(checked).toEqual({ word: "check" });
    expect(outcome).toMatchObject({ status: "rejected", reason: { cause: { code: "22012" } } });
  });

  test("throws its failure, and leaves the connection intact", async () => {
    await expect(runWithFollowingCheck(said("work"), failing)).rejects.toMatchObject({
      cause: { code: "22012" },
    });
    expect(await said("afterwards")()).toEqual({ word: "afterwards" });
  });

  test("is separate from other requests' checks", async () => {
    const pair = (name: string) => runWithFollowingCheck(said(`work of ${name}`), said(`check of ${name}`));
    const names = Array.from({ length: 20 }, (_, number) => String(number));
    for (const [index, [outcome, checked]] of (await Promise.all(names.map(pair))).entries()) {
      expect(outcome).toMatchObject({ value: { word: `work of ${index}` } });
      expect(checked).toEqual({ word: `check of ${index}` });
    }
  });

  test("is sent again with the other one when their connection broke", async () => {
    await said("warm")();
    relay.cutBeforeNextAnswer();
    const [outcome, checked] = await runWithFollowingCheck(said("work"), said("check"));
    expect([outcome, checked]).toMatchObject([{ value: { word: "work" } }, { word: "check" }]);
  });

  test("is given up if a write may have been executed, which is not repeated", async () => {
    await database.db.execute(sql`create table written ()`);
    const write = () => database.db.execute(sql`insert into written default values`);
    relay.cutBeforeNextAnswer();
    const error = await runWithFollowingCheck(write, said("check")).catch((thrown: unknown) => thrown);
    expect(isDatabaseUnavailable(error)).toBe(true);
    expect((await database.db.execute(sql`select from written`)).rows).toHaveLength(1);
  });

  test("is sent last if another statement goes ahead, all in one round trip", async () => {
    const all = () => runWithFollowingCheck(() => runWithPrecedingRead(ticks, ticks), ticks);
    expect(await cost(all)).toEqual({ noted: 1, seen: 1 });
    const [outcome, checked] = await all();
    expect(outcome).toEqual({ status: "fulfilled", value: [checked - 2, checked - 1] });
  });

  test("may be a look ahead, without a check", async () => {
    expect(await cost(() => runWithPrecedingRead(ticks, ticks))).toEqual({ noted: 1, seen: 1 });
    const [looked, found] = await runWithPrecedingRead(ticks, ticks);
    expect(looked).toBe(found - 1);
  });

  test("is looked up and read again in order if the batch failed, or sent nothing", async () => {
    let failures = 0;
    const failsOnce = async () => {
      if (failures++ === 0) await failing();
      return ticks();
    };
    const [looked, found] = await runWithPrecedingRead(failsOnce, ticks);
    expect(looked).toBe(found - 1);
    expect(await runWithPrecedingRead(said("look"), async () => "nothing")).toEqual([
      { word: "look" },
      "nothing",
    ]);
  });

  test("throws the work's error, whatever the look found", async () => {
    const refused = async () => {
      await ticks();
      throw new Error("Refused");
    };
    await expect(runWithPrecedingRead(ticks, refused)).rejects.toThrow("Refused");
    await expect(runWithPrecedingRead(failing, refused)).rejects.toThrow("Refused");
    expect(await said("afterwards")()).toEqual({ word: "afterwards" });
  });
});
