import { expect, it } from "vitest";
import { weightedShareWithInterval } from "../../../../lib/platform/statistics/weighted-share.ts";
import { wilsonInterval } from "../../../../lib/platform/statistics/wilson.ts";

const of = (weights: readonly number[], counted: number) =>
  weightedShareWithInterval({
    weight: weights.reduce((sum, one) => sum + one, 0),
    squares: weights.reduce((sum, one) => sum + one ** 2, 0),
    counted,
  });

it("equals Wilson's share for equal weights of any size", () => {
  const expected = { share: 0.4, effective: 10, ...wilsonInterval(4, 10) };
  for (const weight of [1, 7]) {
    const found = of(Array(10).fill(weight), 4 * weight);
    expect(found?.share).toBeCloseTo(expected.share, 12);
    expect(found?.effective).toBeCloseTo(10, 12);
    expect(found?.low).toBeCloseTo(expected.low, 12);
    expect(found?.high).toBeCloseTo(expected.high, 12);
  }
});

it("counts few heavy observations as few", () => {
  // (9 + 1 + 1 + 1)² / (81 + 1 + 1 + 1) = 144 / 84.
  const found = of([9, 1, 1, 1], 9);
  expect(found).toMatchObject({ share: 0.75 });
  expect(found?.effective).toBeCloseTo(144 / 84, 12);
  expect(found?.high).toBeGreaterThan(of([3, 3, 3, 3], 9)?.high ?? 1);
});

it("is undefined without weight", () => {
  expect(of([], 0)).toBeUndefined();
});
