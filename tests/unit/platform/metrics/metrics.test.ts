import { describe, expect, it } from "vitest";
import { formatExposition } from "../../../../lib/platform/metrics/exposition.ts";
import { histogramBucket } from "../../../../lib/platform/metrics/families.ts";
import { sqlVerbOf } from "../../../../lib/platform/metrics/sql-verb.ts";
import { createTally } from "../../../../lib/platform/metrics/tally.ts";

describe("the operation of a statement", () => {
  it.each([
    ["select 1", "select"],
    ["  SELECT id FROM users", "select"],
    ["insert into users default values", "insert"],
    ["begin", "begin"],
    ["commit", "commit"],
    ["create table things ()", "other"],
    ["", "other"],
    ["with one as (select 1) select * from one", "select"],
    ["with one as (select 1 for update) select * from one", "select"],
    ["with one as (insert into a values (1) on conflict do update set b = 1 returning b) select b", "insert"],
    ["with one as (select updated_at from a) delete from a", "delete"],
  ])("%s is %s", (statement, operation) => {
    expect(sqlVerbOf(statement)).toBe(operation);
  });
});

describe("a tally", () => {
  it("adds up by sample and labels, and starts again when its additions are taken", () => {
    const tally = createTally();
    tally.add("a_total", { one: "x" });
    tally.add("a_total", { one: "y" }, 2);
    tally.add("a_total", { one: "x" }, 0.5);
    expect(tally.take()).toEqual([
      { sample: "a_total", labels: { one: "x" }, amount: 1.5 },
      { sample: "a_total", labels: { one: "y" }, amount: 2 },
    ]);
    expect(tally.isEmpty()).toBe(true);
  });
});

describe("a histogram", () => {
  it("puts a value into the first bucket whose bound it does not exceed", () => {
    expect(histogramBucket("http_request_duration_seconds", 0)).toBe("0.005");
    expect(histogramBucket("http_request_duration_seconds", 0.005)).toBe("0.005");
    expect(histogramBucket("http_request_duration_seconds", 0.0051)).toBe("0.01");
    expect(histogramBucket("http_request_duration_seconds", 301)).toBe("+Inf");
  });

  it("is shown cumulated, with bounds of an earlier version in their place", async () => {
    const bucket = (le: string, value: number) => ({
      sample: "http_request_duration_seconds_bucket",
      labels: { le },
      value,
    });
    const text = await formatExposition([
      bucket("0.005", 2),
      bucket("0.007", 1),
      bucket("1", 3),
      bucket("+Inf", 4),
    ]);
    const shown = [...text.matchAll(/^http_request_duration_seconds_bucket\{le="([^"]+)"\} (\d+)$/gm)];
    const values = Object.fromEntries(shown.map(([, le, value]) => [le, Number(value)]));
    expect(values).toMatchObject({
      "0.005": 2,
      "0.007": 3,
      "0.01": 3,
      "0.5": 3,
      "1": 6,
      "300": 6,
      "+Inf": 10,
    });
    expect(shown.map(([, le]) => le).slice(0, 3)).toEqual(["0.005", "0.007", "0.01"]);
    expect(text).toContain("http_request_duration_seconds_count 10");
  });
});
