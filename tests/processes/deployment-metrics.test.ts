import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { afterAll, describe, expect, it } from "vitest";
import type { Db } from "../../lib/platform/db/client.ts";
import { formatExposition } from "../../lib/platform/metrics/exposition.ts";
import { createMetrics } from "../../lib/platform/metrics/metrics.ts";
import { startReporter } from "../../lib/platform/metrics/reporter.ts";
import { readSamples, storeMetricBatch } from "../../lib/platform/metrics/store.ts";
import { sampleOf } from "../support/samples.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";
import { openWorld } from "../support/world.ts";

const world = openWorld();
const exposition = async () => formatExposition(await readSamples(world.deps.db));

describe("the processes of a deployment", () => {
  const processes: ServerProcess[] = [];
  afterAll(() => Promise.all(processes.map((one) => one.kill())));

  const start = async () => {
    const process = await startServerProcess(world.deps.config.DATABASE_URL, world.llm.url);
    processes.push(process);
    return process;
  };

  const ask = (process: ServerProcess, times: number) =>
    Promise.all(
      Array.from({ length: times }, () => fetch(`${process.url}/healthz`).then((got) => got.text())),
    );

  const counted = async () =>
    sampleOf(await exposition(), 'http_requests_total{method="GET",path="/healthz",status="200"}');

  it("add up exactly, through restarts too, and an orderly end loses nothing", async () => {
    const four = await Promise.all([start(), start(), start(), start()]);
    await Promise.all(four.map((process, at) => ask(process, 20 + at)));
    await Promise.all(four.map((process) => process.stop()));
    expect(await counted()).toBe(20 + 21 + 22 + 23);

    const restarted = await start();
    await ask(restarted, 7);
    await restarted.stop();
    expect(await counted()).toBe(93);
  });

  it("a killed one loses only its unreported counts", async () => {
    const before = await counted();
    const doomed = await start();
    await ask(doomed, 5);
    await fetch(`${doomed.url}/metrics`);
    await ask(doomed, 3);
    await doomed.kill();
    expect((await counted()) - before).toBe(5);
  });

  it("return the same numbers from each process", async () => {
    const [one, other] = await Promise.all([start(), start()]);
    await ask(one, 4);
    await fetch(`${one.url}/metrics`);
    const told = await (await fetch(`${other.url}/metrics`)).text();
    expect(sampleOf(told, 'http_requests_total{method="GET",path="/healthz",status="200"}')).toBe(
      await counted(),
    );
  });
});

describe("a batch", () => {
  const additions = (amount: number) =>
    ["GET", "POST", "PUT"].map((method) => ({ sample: "raced_total", labels: { method }, amount }));
  const stored = async () => {
    const samples = await readSamples(world.deps.db);
    return samples.filter(({ sample }) => sample === "raced_total").map(({ value }) => value);
  };

  it("of each instance is added, for any number of concurrent reports and any order of rows", async () => {
    const reports = Array.from({ length: 40 }, (_, at) =>
      storeMetricBatch(world.deps.db, {
        instance: randomUUID(),
        number: 1,
        requestsInProgress: 0,
        additions: at % 2 ? additions(1) : additions(1).toReversed(),
      }),
    );
    await Promise.all(reports);
    expect(await stored()).toEqual([40, 40, 40]);
  });

  it("that is sent again counts once", async () => {
    const before = await stored();
    const batch = { instance: randomUUID(), number: 1, requestsInProgress: 0, additions: additions(2) };
    await storeMetricBatch(world.deps.db, batch);
    await storeMetricBatch(world.deps.db, batch);
    expect(await stored()).toEqual(before.map((value) => value + 2));
  });

  it("with a lost response is repeated by the next report", async () => {
    let failures = 1;
    const flaky = new Proxy(world.deps.db, {
      get: (db, key) =>
        key === "execute"
          ? async (statement: Parameters<Db["execute"]>[0]) => {
              await db.execute(statement);
              if (failures-- > 0) throw new Error("connection lost after the commit");
            }
          : Reflect.get(db, key),
    });
    const counts = createMetrics();
    const reporter = startReporter({ counts, besides: {} }, flaky, world.deps.log);
    counts.queryEnded("merge into things", 1);
    await reporter.report();
    counts.queryEnded("merge into things", 1);
    await reporter.close();
    expect(sampleOf(await exposition(), 'db_query_total{operation="merge"}')).toBe(2);
  });
});

describe("the gauge", () => {
  const inProgress = async () => sampleOf(await exposition(), "http_requests_in_progress");

  it("adds up the live instances, and drops one that stopped reporting", async () => {
    await world.deps.db.execute(sql`delete from metric_instances`);
    const [one, other] = [randomUUID(), randomUUID()];
    await storeMetricBatch(world.deps.db, { instance: one, number: 1, requestsInProgress: 3, additions: [] });
    await storeMetricBatch(world.deps.db, {
      instance: other,
      number: 1,
      requestsInProgress: 4,
      additions: [],
    });
    expect(await inProgress()).toBe(7);
    await world.deps.db.execute(
      sql`update metric_instances set seen_at = now() - interval '16 seconds' where id = ${one}`,
    );
    expect(await inProgress()).toBe(4);
  });

  it("leaves no row behind for an instance that has ended", async () => {
    await world.deps.db.execute(sql`delete from metric_instances`);
    const counts = createMetrics();
    const reporter = startReporter({ counts, besides: {} }, world.deps.db, world.deps.log);
    counts.requestStarted();
    await reporter.report();
    expect(await inProgress()).toBe(1);
    await reporter.close();
    expect(await inProgress()).toBe(0);
  });

  it("deletes instances without a report for an hour", async () => {
    const gone = randomUUID();
    await storeMetricBatch(world.deps.db, {
      instance: gone,
      number: 1,
      requestsInProgress: 1,
      additions: [],
    });
    await world.deps.db.execute(sql`update metric_instances set seen_at = now() - interval '61 minutes'`);
    await storeMetricBatch(world.deps.db, {
      instance: randomUUID(),
      number: 1,
      requestsInProgress: 0,
      additions: [],
    });
    const { rows } = await world.deps.db.execute(sql`select from metric_instances where id = ${gone}`);
    expect(rows).toHaveLength(0);
  });
});
