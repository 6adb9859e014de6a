import { describe, expect, it } from "vitest";
import { signTestPValue } from "../../../../lib/platform/statistics/sign-test.ts";

describe("the sign test", () => {
  // Siegel, S. (1956), "Nonparametric Statistics for the Behavioral Sciences", table D, one-sided: the tail
  // of the binomial distribution with one half, to three places.
  it.each([
    [5, 0, 0.031],
    [8, 1, 0.02],
    [12, 2, 0.006],
    [11, 3, 0.029],
    [15, 5, 0.021],
    [18, 7, 0.022],
  ])("of %d to %d is that of Siegel's table, on both sides", (won, lost, oneSide) => {
    expect(signTestPValue(won, lost) / 2).toBeCloseTo(oneSide, 3);
    expect(signTestPValue(lost, won)).toBe(signTestPValue(won, lost));
  });

  it("is worked out exactly", () => {
    expect(signTestPValue(9, 1)).toBeCloseTo((2 * (1 + 10)) / 1024, 12);
    expect(signTestPValue(6, 2)).toBeCloseTo((2 * (1 + 8 + 28)) / 256, 12);
  });

  it("says nothing of as many on both sides, or of none, and bears thousands", () => {
    expect(signTestPValue(0, 0)).toBe(1);
    expect(signTestPValue(4, 4)).toBe(1);
    expect(signTestPValue(2500, 2500)).toBe(1);
    // Normal approximation with continuity correction: z = 99.5 / 35.36.
    expect(signTestPValue(2600, 2400)).toBeCloseTo(0.0049, 3);
    expect(signTestPValue(5000, 0)).toBe(0);
  });
});
