import { wilsonInterval } from "./wilson.ts";

/** A share of weighted parts: their weights, the sum of their squares, and the weight of what counts. */
type Weighed = { weight: number; squares: number; counted: number };

export type WeightedShare = { share: number; low: number; high: number; effective: number };

/**
 * A weighted share with Wilson's interval of the effective number: as many parts of one weight as vary as much (Kish, L.
 * (1965), "Survey Sampling", Wiley, chapter 8.2), the sum of the weights squared divided by the sum of their squares.
 * Undefined where nothing weighs anything. Pure.
 */
export function weightedShare({ weight, squares, counted }: Weighed): WeightedShare | undefined {
  if (weight === 0) return undefined;
  const effective = weight ** 2 / squares;
  const share = counted / weight;
  return { share, effective, ...wilsonInterval(share * effective, effective) };
}
