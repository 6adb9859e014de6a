/**
 * p-value of the exact two-sided sign test, without ties; 1 without pairs. Dixon, W. J. and Mood, A. M.
 * (1946), "The statistical sign test", Journal of the American Statistical Association 41, 557–566.
 */
export function signTestPValue(won: number, lost: number): number {
  const pairs = won + lost;
  const fewer = Math.min(won, lost);
  // Computed in logarithms: 0.5 to the power of thousands underflows.
  let logOfOne = -pairs * Math.LN2;
  let tail = Math.exp(logOfOne);
  for (let count = 1; count <= fewer; count += 1) {
    logOfOne += Math.log((pairs - count + 1) / count);
    tail += Math.exp(logOfOne);
  }
  return Math.min(1, 2 * tail);
}
