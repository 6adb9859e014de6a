import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { migrate } from "../../../lib/platform/db/migrations/migrate.ts";
import { takeOrRenewTaskLease } from "../../../lib/platform/schedule/tasks.ts";
import { checkNoPooler } from "../../../scripts/ops/backup/programs.ts";
import { checkDatabase } from "../../../scripts/ops/doctor/database.ts";
import { cloneDatabase, emptyDatabase, type TestDatabase } from "../../support/database.ts";
import { liveALife } from "../../support/life.ts";
import { type Pooler, pgbouncer, startPgbouncer } from "../../support/pgbouncer.ts";
import { openWorld } from "../../support/world.ts";

const title = "through PgBouncer, which lends a connection for a transaction";

describe.skipIf(!pgbouncer)(pgbouncer ? title : `${title}: skipped, it is not installed`, () => {
  let pooler: Pooler;
  let database: TestDatabase;

  beforeAll(async () => {
    pooler = await startPgbouncer(String(pgbouncer), inject("templateUrl"));
    database = await cloneDatabase();
  });

  const world = openWorld(() => ({ DATABASE_URL: pooler.through(database.url) }));

  afterAll(async () => {
    await pooler.stop();
    await database.drop();
  });

  test("people use the service concurrently, and all its invariants hold", async () => {
    const lives = await Promise.all(["blue", "green", "red"].map((words) => liveALife(world, words)));
    const ids = lives.map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
    const kept = await database.run("select count(*)::int as enrollments from enrollments");
    expect(kept).toEqual([{ enrollments: 3 }]);
    // Mixed-up connections would cause errors.
    expect(world.log.filter(({ level }) => level === "ERROR")).toEqual([]);
  });

  test("migrating leaves no lock behind, and the next does not wait", async () => {
    const empty = await emptyDatabase();
    const url = pooler.through(empty.url);
    expect((await migrate(url)).migrations).toBeGreaterThan(0);
    expect((await migrate(url, { lockTimeout: "1s" })).migrations).toBe(0);
    await empty.drop();
  });

  test("a backup is rejected, because its settings would stay on a shared connection", async () => {
    await expect(checkNoPooler(pooler.through(database.url))).rejects.toThrow(/DIRECT_DATABASE_URL/);
    await checkNoPooler(database.url);
  });

  test("the schedule is one holder's, whichever connection its lease was taken by", async () => {
    const holders = Array.from({ length: 20 }, () => crypto.randomUUID());
    const held = await Promise.all(
      holders.map((one) => takeOrRenewTaskLease(world.deps.db, "schedule", one, 60)),
    );
    expect(held.filter(Boolean)).toHaveLength(1);
  });

  test("the doctor finds nothing wrong but the settings of an account that no migration has set", async () => {
    const wrong = (await checkDatabase(world.deps.config)).filter(({ state }) => state === "wrong");
    expect(wrong.map(({ what }) => what)).toEqual(["statements of disconnected clients keep running"]);
  });
});
