/** A repeatable sequence: returns a whole number from 0 to `most`. */
export function numbersFrom(seed: number): (most: number) => number {
  let state = seed;
  return (most) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * (most + 1));
  };
}
