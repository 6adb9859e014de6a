/** Chance that can be repeated: the same seed throws the same. */
export type Rng = {
  /** At least 0, below 1. */
  next(): number;
  /** True with that probability. */
  chance(probability: number): boolean;
  /** A number of that range, its upper end left out. */
  between(least: number, most: number): number;
  pick<T>(list: readonly [T, ...T[]]): T;
  /** Rng of its own for someone, so that nobody's throws depend on the others' order. */
  for(name: string | number): Rng;
};

/** Rng by seed: mulberry32, which is small and even enough to choose faults by. */
export function rngOf(seed: number): Rng {
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
    for: (name) => rngOf([...`${seed}/${name}`].reduce(mixIn, 2166136261)),
  };
}

/** FNV-1a. */
const mixIn = (hash: number, letter: string): number =>
  Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 16777619) >>> 0;
