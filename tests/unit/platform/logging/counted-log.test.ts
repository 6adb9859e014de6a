import { expect, it, vi } from "vitest";
import { createThrottledLog } from "../../../../lib/platform/logging/counted-log.ts";
import { freezeTime } from "../../../support/frozen-time.ts";

freezeTime();

it("a repeated event is logged immediately, and then once a minute with its count", () => {
  const written: [string, number][] = [];
  const note = createThrottledLog((details: string, count) => written.push([details, count]));
  for (let time = 1; time <= 3; time += 1) note("disk", `full ${time}`);
  note("lock", "held");
  expect(written).toEqual([
    ["full 1", 1],
    ["held", 1],
  ]);
  vi.advanceTimersByTime(60_000);
  expect(written.splice(0)).toEqual([
    ["full 1", 1],
    ["held", 1],
    ["full 3", 2],
  ]);
  note("disk", "full 4");
  note("lock", "held again");
  expect(written.splice(0), "the disk's minute is not over").toEqual([["held again", 1]]);
  vi.advanceTimersByTime(120_000);
  expect(written).toEqual([["full 4", 1]]);
});
