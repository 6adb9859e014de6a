import { sql } from "drizzle-orm";
import { afterEach, beforeEach, expect, test } from "vitest";
import { connectDatabase, type DatabaseHandles } from "../../../lib/platform/db/driver/connect.ts";
import { doInSteps, repeatInStepsUntilZero } from "../../../lib/platform/db/query/steps.ts";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";

let cloned: TestDatabase;
let database: DatabaseHandles;

beforeEach(async () => {
  cloned = await cloneDatabase();
  database = await connectDatabase({ url: cloned.url, max: 2 });
  await cloned.run("create table work (id int); insert into work select generate_series(1, 100)");
  await cloned.run(`create function do_work(most int) returns bigint language sql as $$
    with done as (delete from work where id in (select id from work order by id limit most) returning id)
    select count(*) from done $$`);
});

afterEach(async () => {
  await database.close();
  await cloned.drop();
});

const left = () => cloned.run("select count(*)::int as count from work");

test("work is done in steps of so many rows, each for itself, until none are left", async () => {
  const seen: unknown[] = [];
  const done = await repeatInStepsUntilZero(
    database.schedule,
    { rows: 40 },
    (rows) => sql`do_work(${rows})::int`,
  );
  expect([done, await left()]).toEqual([100, [{ count: 0 }]]);
  await cloned.run("insert into work select generate_series(1, 100)");
  const steps = await doInSteps(database.schedule, { rows: 40 }, async (tx, rows) => {
    seen.push(...(await left()));
    await tx.execute(sql`select do_work(${rows})`);
    return seen.length < 3;
  });
  expect([steps, seen]).toEqual([3, [{ count: 100 }, { count: 60 }, { count: 20 }]]);
});

test("a step that takes too long is given up with its locks, and done again as a smaller one", async () => {
  const sizes: number[] = [];
  await doInSteps(database.schedule, { rows: 8 }, async (tx, rows) => {
    sizes.push(rows);
    await tx.execute(sql`select do_work(${rows})`);
    if (rows === 8) await tx.execute(sql`select pg_sleep(3600)`);
    return sizes.length < 3;
  });
  expect(sizes).toEqual([8, 4, 5]);
  expect(await left()).toEqual([{ count: 91 }]);
});

test("a step waits only briefly for the locks of others, and continues when they are gone", async () => {
  const sizes: number[] = [];
  let waited: Promise<number> | undefined;
  await database.db.transaction(async (tx) => {
    await tx.execute(sql`lock table work`);
    waited = repeatInStepsUntilZero(database.schedule, { rows: 64 }, (rows) => {
      sizes.push(rows);
      return sql`do_work(${rows})::int`;
    });
    await expect.poll(() => sizes.length, { message: "a step is given up" }).toBe(2);
  });
  expect(await waited).toBe(100);
  expect(sizes.slice(0, 2)).toEqual([64, 32]);
});

test("a timeout of a single row is thrown, and so is every other failure immediately", async () => {
  const sizes: number[] = [];
  const fail = (statement: string) =>
    doInSteps(database.schedule, { rows: 2 }, async (tx, rows) => {
      sizes.push(rows);
      await tx.execute(sql.raw(statement));
      return true;
    });
  await expect(fail("select pg_sleep(3600)")).rejects.toThrow();
  await expect(fail("select 1 / 0")).rejects.toThrow();
  expect(sizes).toEqual([2, 1, 2]);
});

test("a signal stops the work between two steps", async () => {
  const stopping = new AbortController();
  const steps = await doInSteps(database.schedule, { rows: 10, signal: stopping.signal }, async () => {
    stopping.abort();
    return true;
  });
  expect(steps).toBe(1);
});
