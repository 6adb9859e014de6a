export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
};

/** Durations of reads in milliseconds, on a small and a large database. */
export type OnSmallAndLargeDatabase<Of> = { small: Of; large: Of };

/** Medians of two alternating reads, so a slow machine affects both. */
export async function measureMediansAlternately(
  rounds: number,
  read: OnSmallAndLargeDatabase<() => Promise<number>>,
): Promise<OnSmallAndLargeDatabase<number>> {
  const times: OnSmallAndLargeDatabase<number[]> = { small: [], large: [] };
  for (let round = 0; round < rounds; round += 1) {
    times.small.push(await read.small());
    times.large.push(await read.large());
  }
  return { small: median(times.small), large: median(times.large) };
}
