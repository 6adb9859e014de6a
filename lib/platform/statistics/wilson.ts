/** The 97.5th percentile of the standard normal distribution, for a two-sided 95 % interval. */
const of95Percent = 1.959963984540054;

/**
 * Wilson's score interval, without continuity correction; 95 % unless `z` differs. Wilson, E. B. (1927),
 * "Probable inference, the law of succession, and statistical inference", Journal of the American Statistical
 * Association 22, 209–212.
 */
export function wilsonInterval(
  successes: number,
  trials: number,
  z = of95Percent,
): { low: number; high: number } {
  if (trials === 0) return { low: 0, high: 1 };
  const share = successes / trials;
  const scale = 1 + z ** 2 / trials;
  const middle = share + z ** 2 / (2 * trials);
  const half = z * Math.sqrt((share * (1 - share)) / trials + z ** 2 / (4 * trials ** 2));
  return {
    low: successes === 0 ? 0 : (middle - half) / scale,
    high: successes === trials ? 1 : (middle + half) / scale,
  };
}
