import { wilsonInterval } from "./wilson.ts";

export type SuccessCounts = { successes: number; trials: number };

/**
 * Lower bound of the difference between two shares, one-sided with confidence `z`: the hybrid score interval.
 * Newcombe, R. G. (1998), "Interval estimation for the difference between independent proportions: comparison
 * of eleven methods", Statistics in Medicine 17, 873–890, method 10.
 */
export function differenceLowerBound(more: SuccessCounts, less: SuccessCounts, z: number): number {
  const [p1, p2] = [shareOf(more), shareOf(less)];
  const { low } = wilsonInterval(more.successes, more.trials, z);
  const { high } = wilsonInterval(less.successes, less.trials, z);
  return p1 - p2 - Math.sqrt((p1 - low) ** 2 + (high - p2) ** 2);
}

const shareOf = ({ successes, trials }: SuccessCounts): number => (trials === 0 ? 0 : successes / trials);
