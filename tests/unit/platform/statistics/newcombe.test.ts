import { expect, it } from "vitest";
import { differenceLowerBound } from "../../../../lib/platform/statistics/newcombe.ts";

const z = 1.959963984540054;

// Newcombe (1998), table II, method 10: lower bounds.
it.each([
  [56, 70, 48, 80, 0.0524],
  [9, 10, 3, 10, 0.1705],
  [6, 7, 2, 7, 0.0582],
  [5, 56, 0, 29, -0.0381],
  [10, 10, 0, 10, 0.6075],
])("of %d of %d above %d of %d the difference begins at the paper's value", (a, m, b, n, low) => {
  const difference = differenceLowerBound({ successes: a, trials: m }, { successes: b, trials: n }, z);
  expect(difference).toBeCloseTo(low, 4);
});

it("is undefined without observations", () => {
  const none = { successes: 0, trials: 0 };
  expect(differenceLowerBound(none, none, z)).toBe(-1);
});
