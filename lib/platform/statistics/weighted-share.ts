import { wilsonInterval } from "./wilson.ts";

/** Sums of a weighted sample: weights, squared weights, and weights of hits. */
type Weighed = { weight: number; squares: number; counted: number };

export type WeightedShareWithInterval = { share: number; low: number; high: number; effective: number };

/**
 * With Wilson's interval for the effective sample size (Kish, L. (1965), "Survey Sampling", Wiley, chapter
 * 8.2): the squared sum of weights divided by the sum of squared weights. Undefined without weight.
 */
export function weightedShareWithInterval({
  weight,
  squares,
  counted,
}: Weighed): WeightedShareWithInterval | undefined {
  if (weight === 0) return undefined;
  const effective = weight ** 2 / squares;
  const share = counted / weight;
  return { share, effective, ...wilsonInterval(share * effective, effective) };
}
