import { describe, expect, it } from "vitest";
import { exceedsRatio, type SampleMoments } from "../../../../lib/platform/statistics/ratio-of-means.ts";

const z = 3.090232306167813;
const one: SampleMoments = { count: 120, mean: 6, variance: 4 };
const other: SampleMoments = { count: 150, mean: 3, variance: 1 };

/** The lower bound of Fieller's interval for the ratio of two independent means. */
function fiellersLow(a: SampleMoments, b: SampleMoments): number {
  const [va, vb] = [a.variance / a.count, b.variance / b.count];
  const g = (z ** 2 * vb) / b.mean ** 2;
  const ratio = a.mean / b.mean;
  return (ratio - (z / b.mean) * Math.sqrt(va * (1 - g) + ratio ** 2 * vb)) / (1 - g);
}

describe("exceedsRatio", () => {
  it("changes at the start of Fieller's interval", () => {
    const low = fiellersLow(one, other);
    expect(low).toBeGreaterThan(1.7);
    expect(low).toBeLessThan(2);
    expect(exceedsRatio(one, other, low - 1e-9, z)).toBe(true);
    expect(exceedsRatio(one, other, low + 1e-9, z)).toBe(false);
  });

  it("is Welch's test if the multiple is one", () => {
    const [a, b] = [
      { count: 50, mean: 5, variance: 1 },
      { count: 50, mean: 4, variance: 1 },
    ];
    expect(exceedsRatio(a, b, 1, 4.99)).toBe(true);
    expect(exceedsRatio(a, b, 1, 5.01)).toBe(false);
  });

  it("says nothing of nothing, and needs no spread", () => {
    expect(exceedsRatio({ ...one, count: 0 }, other, 1, z)).toBe(false);
    expect(exceedsRatio(one, { ...other, count: 0 }, 1, z)).toBe(false);
    const fixed = { count: 100, mean: 2, variance: 0 };
    expect(exceedsRatio(fixed, fixed, 1, z)).toBe(false);
    expect(exceedsRatio({ ...fixed, mean: 2.1 }, fixed, 1, z)).toBe(true);
  });
});
