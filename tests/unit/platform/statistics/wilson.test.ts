import { describe, expect, it } from "vitest";
import { wilsonInterval } from "../../../../lib/platform/statistics/wilson.ts";
import { withoutSmallGroups } from "../../../../lib/tutor/tutor-steps/misconceptions.ts";

describe("Wilson's interval", () => {
  // Newcombe, R. G. (1998), "Two-sided confidence intervals for the single proportion", Statistics in
  // Medicine 17, 857–872, table I: method 3, the score interval without continuity correction.
  it.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])("of %d of %d is that of Newcombe's table", (successes, trials, low, high) => {
    const interval = wilsonInterval(successes, trials);
    expect(interval.low).toBeCloseTo(low, 4);
    expect(interval.high).toBeCloseTo(high, 4);
  });

  it("contains the share, and is 0 to 1 without observations", () => {
    expect(wilsonInterval(0, 0)).toEqual({ low: 0, high: 1 });
    for (let trials = 1; trials < 40; trials++)
      for (let successes = 0; successes <= trials; successes++) {
        const { low, high } = wilsonInterval(successes, trials);
        expect(low).toBeGreaterThanOrEqual(0);
        expect(low).toBeLessThanOrEqual(successes / trials);
        expect(high).toBeGreaterThanOrEqual(successes / trials);
        expect(high).toBeLessThanOrEqual(1);
      }
  });
});

describe("the reported errors", () => {
  const told = (people: number[], others: number) =>
    withoutSmallGroups(
      people.map((count) => ({ people: count })),
      others,
    ).map(({ people: count }) => count);

  it("are of five people or more, the most frequent first", () => {
    expect(told([5, 9, 4], 18)).toEqual([9]);
    expect(told([5, 9], 14)).toEqual([9, 5]);
    expect(told([4, 4], 8)).toEqual([]);
  });

  it("leave no smaller number to be worked out", () => {
    for (const people of [[6, 1], [12, 5, 3], [5, 5, 5, 4], [5, 5, 5, 1, 1], [7]])
      for (let unaided = 0; unaided < 7; unaided++) {
        const others = people.reduce((sum, count) => sum + count, unaided);
        const rest = others - told(people, others).reduce((sum, count) => sum + count, 0);
        expect(rest === 0 || rest >= 5 || told(people, others).length === 0).toBe(true);
      }
  });
});
