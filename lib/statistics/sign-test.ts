/**
 * How likely a result so uneven, to either side, is among pairs of which each half is as likely to be the better one: the
 * two-sided sign test, exact, from the binomial distribution with one half. Ties are left out before. Dixon, W. J. and Mood,
 * A. M. (1946), "The statistical sign test", Journal of the American Statistical Association 41, 557–566. 1 without a pair.
 * Pure.
 */
export function signTest(won: number, lost: number): number {
  const pairs = won + lost;
  const fewer = Math.min(won, lost);
  // Of each number of pairs that are won, in logarithms: a half to the power of thousands is no number any more.
  let logOfOne = -pairs * Math.LN2;
  let tail = Math.exp(logOfOne);
  for (let count = 1; count <= fewer; count += 1) {
    logOfOne += Math.log((pairs - count + 1) / count);
    tail += Math.exp(logOfOne);
  }
  return Math.min(1, 2 * tail);
}
