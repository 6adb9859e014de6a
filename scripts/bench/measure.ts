import autocannon from "autocannon";

/** What one load found: requests a second, and the median latency in milliseconds. */
export type Measured = { requestsPerSecond: number; medianMilliseconds: number };

/** One way of serving the same thing, by its address. */
export type Target = { url: string; headers?: Record<string, string> };

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
};

/**
 * Loads two contestants in turn, round after round, so that whatever else the machine does falls on both, and
 * answers the median of each. Every answer must be a 200.
 */
export async function compare(
  ours: Target,
  baseline: Target,
  { rounds = 5, seconds = 3, connections = 16 } = {},
): Promise<{ ours: Measured; baseline: Measured }> {
  const found: { ours: Measured[]; baseline: Measured[] } = { ours: [], baseline: [] };
  for (const contestant of [ours, baseline]) await load(contestant, 1, connections);
  for (let round = 0; round < rounds; round += 1) {
    found.ours.push(await load(ours, seconds, connections));
    found.baseline.push(await load(baseline, seconds, connections));
  }
  return { ours: middle(found.ours), baseline: middle(found.baseline) };
}

async function load({ url, headers = {} }: Target, duration: number, connections: number): Promise<Measured> {
  const result = await autocannon({ url, headers, duration, connections });
  if (result.non2xx + result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} refused, ${result.errors} failed`);
  return { requestsPerSecond: result.requests.average, medianMilliseconds: result.latency.p50 };
}

/** Reads in milliseconds of a small and of a large database. */
export type Sizes<Of> = { small: Of; large: Of };

/** The median of each of the two reads, which take turns: what slows the machine down slows both. */
export async function mediansOfBoth(
  rounds: number,
  read: Sizes<() => Promise<number>>,
): Promise<Sizes<number>> {
  const times: Sizes<number[]> = { small: [], large: [] };
  for (let round = 0; round < rounds; round += 1) {
    times.small.push(await read.small());
    times.large.push(await read.large());
  }
  return { small: median(times.small), large: median(times.large) };
}

const middle = (all: readonly Measured[]): Measured => ({
  requestsPerSecond: median(all.map((one) => one.requestsPerSecond)),
  medianMilliseconds: median(all.map((one) => one.medianMilliseconds)),
});
