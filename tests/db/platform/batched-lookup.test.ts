import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { createBatchedLookup } from "../../../lib/platform/db/batched-lookup.ts";
import { runWithConcurrentCheck } from "../../../lib/platform/db/concurrent-check.ts";
import { connectDatabase, type DatabaseHandles } from "../../../lib/platform/db/driver/connect.ts";
import { queryStatsStorage } from "../../../lib/platform/db/driver/observe.ts";
import { runWithFollowingCheck } from "../../../lib/platform/db/driver/pipelined-batch.ts";
import { createPreparedRowsQuery } from "../../../lib/platform/db/query/rows.ts";
import { isDatabaseUnavailable } from "../../../lib/platform/db/unavailable.ts";
import { cloneDatabase, neonProxyAddress, type TestDatabase } from "../../support/database.ts";

const quotients = createPreparedRowsQuery(
  z.object({ quotient: z.int().nullable() }),
  sql`select ticks.dividend / divisor as quotient
      from ticks, unnest(${sql.placeholder("divisors")}::int[]) with ordinality as given (divisor, place) order by place`,
);

/** A counter divided by the key; 0 fails. */
const findQuotient = createBatchedLookup({
  operation: "quotients",
  findAll: async (db, divisors: readonly number[]) =>
    (await quotients(db, { divisors })).map(({ quotient }) => quotient),
});

describe.each(["pg", "neon"] as const)("through %s, a lookup for several requests", (driver) => {
  let clone: TestDatabase;
  let database: DatabaseHandles;
  const sent: string[] = [];

  beforeAll(async () => {
    clone = await cloneDatabase();
    const proxy = neonProxyAddress(driver);
    database = await connectDatabase({
      url: clone.url,
      ...(proxy && { neonProxy: proxy }),
      max: 10,
      onQuery: ({ text }) => sent.push(text),
    });
    await database.db.execute(sql`create table ticks as select 12 as dividend`);
  });

  beforeEach(async () => {
    await setDividend(12);
    sent.length = 0;
  });

  afterAll(async () => {
    await database.close();
    await clone.drop();
  });

  const setDividend = (dividend: number) => database.db.execute(sql`update ticks set dividend = ${dividend}`);
  const find = (divisor: number) => findQuotient(database.reads, divisor);
  const read = async () => (await database.reads.execute(sql`select ${1}::int`)).rows;

  async function tripsOf(work: () => Promise<unknown>): Promise<number> {
    const stats = { count: 0, duration_ms: 0 };
    await queryStatsStorage.run(stats, work);
    return stats.count;
  }

  test("sends one statement, and each gets its own value", async () => {
    expect(await Promise.all([1, 2, 3, 12, 2].map(find))).toEqual([12, 6, 4, 1, 6]);
    expect(sent).toHaveLength(1);
  });

  test("sends a statement for each hundred", async () => {
    const divisors = Array.from({ length: 250 }, (_, index) => index + 1);
    expect(await Promise.all(divisors.map(find))).toEqual(divisors.map((one) => Math.floor(12 / one)));
    expect(sent).toHaveLength(3);
  });

  test("finds nothing that was read before it was asked", async () => {
    const before = find(2);
    await new Promise(setImmediate);
    expect(sent).toHaveLength(0);
    await setDividend(100);
    expect(await find(2)).toBe(50);
    expect([6, 50]).toContain(await before);
    expect(await find(2)).toBe(50);
  });

  test("counts as a round trip of each request, and the statement as none", async () => {
    expect(await Promise.all([1, 2, 3].map((one) => tripsOf(() => find(one))))).toEqual([1, 1, 1]);
  });

  test("fails for all if the statement fails, and not for later ones", async () => {
    const outcomes = await Promise.allSettled([1, 0, 2].map(find));
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(await find(2)).toBe(6);
  });

  test("has a statement of its own behind another, in its round trip", async () => {
    const behind = () => runWithFollowingCheck(read, () => find(3));
    await behind();
    sent.length = 0;
    expect(await tripsOf(behind)).toBe(1);
    const [[, one], two] = await Promise.all([behind(), find(4)]);
    expect([one, two]).toEqual([4, 3]);
    expect(sent).toHaveLength(5);
  });

  describe("at the same time as other work", () => {
    test("takes the time of one round trip", async () => {
      expect(await tripsOf(() => runWithConcurrentCheck(read, () => find(3)))).toBe(1);
      expect(
        await tripsOf(() =>
          runWithConcurrentCheck(
            async () => "nothing",
            () => find(3),
          ),
        ),
      ).toBe(1);
      const twice = async () => [await read(), await read()];
      expect(await tripsOf(() => runWithConcurrentCheck(twice, () => find(3)))).toBe(2);
    });

    test("is found although the work fails", async () => {
      const failing = () => Promise.reject(new Error("refused"));
      const [outcome, found] = await runWithConcurrentCheck(failing, () => find(3));
      expect([outcome.status, found]).toEqual(["rejected", 4]);
    });

    test("fails if the work did not reach the database", async () => {
      const lost = await connectDatabase({ url: "postgresql://nobody@127.0.0.1:1/none" });
      const error = await runWithConcurrentCheck(
        () => lost.reads.execute(sql`select 1`),
        () => find(3),
      ).catch((thrown: unknown) => thrown);
      expect(isDatabaseUnavailable(error)).toBe(true);
      await lost.close();
    });

    test("is repeated if the work took more than a second", async () => {
      let now = 0;
      const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
      let checks = 0;
      const check = async () => ++checks;
      const lasting = (milliseconds: number) => async () => {
        now += milliseconds;
      };
      expect(await runWithConcurrentCheck(lasting(1000), check)).toMatchObject([{}, 1]);
      expect(await runWithConcurrentCheck(lasting(1001), check)).toMatchObject([{}, 3]);
      clock.mockRestore();
    });
  });
});
