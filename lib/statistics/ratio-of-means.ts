/** How many were measured, their mean and their variance (with n − 1). */
export type Moments = { count: number; mean: number; variance: number };

/**
 * Whether the mean of one sample is more than `times` that of another, with the confidence of `z` on one side: the two are
 * independent, so that the difference of the one and the multiple has the sum of both variances. It is the question for which
 * Fieller's interval of the ratio lies above `times`. Fieller, E. C. (1954), "Some problems in interval estimation", Journal of
 * the Royal Statistical Society B 16, 175–185. Pure.
 */
export function exceedsRatio(one: Moments, other: Moments, times: number, z: number): boolean {
  if (one.count === 0 || other.count === 0) return false;
  const variance = one.variance / one.count + (times ** 2 * other.variance) / other.count;
  return one.mean - times * other.mean > z * Math.sqrt(variance);
}
