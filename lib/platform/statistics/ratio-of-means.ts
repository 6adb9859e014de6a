/** The variance has n − 1. */
export type SampleMoments = { count: number; mean: number; variance: number };

/**
 * True if one mean exceeds `times` another, one-sided with confidence `z`, for independent samples: Fieller's
 * interval lies above `times`. Fieller, E. C. (1954), "Some problems in interval estimation", Journal of the
 * Royal Statistical Society B 16, 175–185.
 */
export function exceedsRatio(one: SampleMoments, other: SampleMoments, times: number, z: number): boolean {
  if (one.count === 0 || other.count === 0) return false;
  const variance = one.variance / one.count + (times ** 2 * other.variance) / other.count;
  return one.mean - times * other.mean > z * Math.sqrt(variance);
}
