import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectDatabase, type DatabaseHandles } from "../../../lib/platform/db/driver/connect.ts";
import {
  type QueryReport,
  type QueryStats,
  queryStatsStorage,
} from "../../../lib/platform/db/driver/observe.ts";
import { cloneDatabase, neonProxyAddress, type TestDatabase } from "../../support/database.ts";

describe.each(["pg", "neon"] as const)("through %s", (driver) => {
  let clone: TestDatabase;
  let database: DatabaseHandles;
  const reports: QueryReport[] = [];

  beforeAll(async () => {
    clone = await cloneDatabase();
    const neonProxy = neonProxyAddress(driver);
    const onQuery = (report: QueryReport) => reports.push(report);
    database = await connectDatabase({ url: clone.url, onQuery, ...(neonProxy && { neonProxy }) });
    await database.db.execute(
      sql`create table things (id int primary key, moment timestamptz default now())`,
    );
  });

  afterAll(async () => {
    await database.close();
    await clone.drop();
  });

  async function counted(work: () => Promise<unknown>): Promise<QueryStats> {
    const stats = { count: 0, duration_ms: 0 };
    await queryStatsStorage.run(stats, async () => {
      await work();
    });
    return stats;
  }

  test("connections use the requested transport", () => {
    expect(database.transport).toBe(driver === "neon" ? "websocket" : "tcp");
  });

  test("a single statement is one round trip, however often its connection was used", async () => {
    for (let time = 0; time < 3; time += 1) {
      const stats = await counted(() => database.db.execute(sql`select 1`));
      expect(stats.count).toBe(1);
      expect(stats.duration_ms).toBeGreaterThan(0);
    }
  });

  test("a transaction counts BEGIN and COMMIT too, and statements after it still count once", async () => {
    const transaction = () =>
      database.db.transaction(async (tx) => {
        await tx.execute(sql`select 1`);
        await tx.execute(sql`select 2`);
      });
    for (let time = 0; time < 2; time += 1) expect((await counted(transaction)).count).toBe(4);
    expect((await counted(() => database.db.execute(sql`select 1`))).count).toBe(1);
  });

  test("concurrent requests have separate counts", async () => {
    const query = () => database.db.execute(sql`select 1`);
    const [one, two] = await Promise.all([
      counted(query),
      counted(async () => {
        await query();
        await query();
      }),
    ]);
    expect([one?.count, two?.count]).toEqual([1, 2]);
  });

  test("reports carry the SQL and never the values", async () => {
    reports.length = 0;
    await database.db.execute(sql`select ${"a secret"}::text`);
    await database.db.execute(sql`select broken from nowhere`).catch(() => {});
    expect(reports.map(({ text, failed }) => ({ text, failed }))).toEqual([
      { text: "select $1::text", failed: false },
      { text: "select broken from nowhere", failed: true },
    ]);
  });

  test("a unique violation shows its SQLSTATE and constraint, also in a transaction", async () => {
    const { db } = database;
    await db.execute(sql`insert into things (id) values (1)`);
    const again = sql`insert into things (id) values (1)`;
    const violation = { cause: { code: "23505", constraint: "things_pkey" } };
    await expect(db.execute(again)).rejects.toMatchObject(violation);
    await expect(db.transaction((tx) => tx.execute(again))).rejects.toMatchObject(violation);
  });

  test("a transaction that throws is rolled back", async () => {
    const { db } = database;
    const failing = db.transaction(async (tx) => {
      await tx.execute(sql`insert into things (id) values (2)`);
      throw new Error("changed my mind");
    });
    await expect(failing).rejects.toThrow("changed my mind");
    expect((await db.execute(sql`select from things where id = 2`)).rowCount).toBe(0);
  });
});
