/** Pseudo-random numbers, the same in every run. */
export function drawing(seed = 1) {
  let state = seed;
  const drawn = (bound: number): number => {
    state = (state * 48_271) % 2_147_483_647;
    return Math.floor((state / 2_147_483_647) * bound);
  };
  return {
    /** From 0 to below `bound`. */
    drawn,
    oneOf: <T>(values: readonly T[]): T => values[drawn(values.length)] as T,
    several: <T>(make: () => T): T[] => Array.from({ length: 1 + drawn(4) }, make),
  };
}
