/** Reproducible random numbers: equal seeds give equal sequences. */
export type SeededRandom = {
  /** At least 0, below 1. */
  next(): number;
  chance(probability: number): boolean;
  /** A number from `least` to `most`, exclusive. */
  between(least: number, most: number): number;
  pick<T>(list: readonly [T, ...T[]]): T;
  /** An independent generator per participant, so their order does not matter. */
  for(name: string | number): SeededRandom;
};

/** mulberry32: small, and even enough to choose faults. */
export function createSeededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    chance: (probability) => next() < probability,
    between: (least, most) => least + next() * (most - least),
    pick: (list) => list[Math.floor(next() * list.length)] ?? list[0],
    for: (name) => createSeededRandom([...`${seed}/${name}`].reduce(mixIn, 2166136261)),
  };
}

/** FNV-1a. */
const mixIn = (hash: number, letter: string): number =>
  Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 16777619) >>> 0;
