import type { OnSmallAndLargeDatabase } from "./measure.ts";

/** A line of the bench: a measurement, and whether it meets its goal. */
export type BenchVerdict = { what: string; found: string; promised: string; reached: boolean };

/** A count or time with an upper limit. */
export const upperLimitVerdict = (what: string, found: number, most: number, unit: string): BenchVerdict => ({
  what,
  found: `${Number.isInteger(found) ? found : found.toFixed(2)} ${unit}`,
  promised: `at most ${most}`,
  reached: found <= most,
});

/** A time on a large database as a multiple of that on a small one; `each` names the unit. */
export function largeToSmallRatioVerdict(
  what: string,
  { small, large }: OnSmallAndLargeDatabase<number>,
  most: number,
  each = "",
): BenchVerdict {
  const verdict = upperLimitVerdict(what, large / small, most, "times");
  const times = `${large.toPrecision(2)} ms${each} against ${small.toPrecision(2)} ms${each}`;
  return { ...verdict, found: `${verdict.found} (${times})` };
}

export function printVerdicts(verdicts: readonly BenchVerdict[]): void {
  for (const { what, found, promised, reached } of verdicts)
    console.log(`${reached ? "ok" : "NO"}  ${what.padEnd(46)} ${found} — ${promised}`);
}
