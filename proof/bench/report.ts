import type { Sizes } from "./measure.ts";

/** One line of the bench: what was measured, and whether it reaches what was promised. */
export type Verdict = { what: string; found: string; promised: string; reached: boolean };

/** A count or a time that must not be exceeded. */
export const atMost = (what: string, found: number, most: number, unit: string): Verdict => ({
  what,
  found: `${Number.isInteger(found) ? found : found.toFixed(2)} ${unit}`,
  promised: `at most ${most}`,
  reached: found <= most,
});

/** How many times as long something takes on a large database as on a small one; `each` says of what a time is. */
export function multipleLine(
  what: string,
  { small, large }: Sizes<number>,
  most: number,
  each = "",
): Verdict {
  const verdict = atMost(what, large / small, most, "times");
  const times = `${large.toPrecision(2)} ms${each} against ${small.toPrecision(2)} ms${each}`;
  return { ...verdict, found: `${verdict.found} (${times})` };
}

export function printVerdicts(verdicts: readonly Verdict[]): void {
  for (const { what, found, promised, reached } of verdicts)
    console.log(`${reached ? "ok" : "NO"}  ${what.padEnd(46)} ${found} — ${promised}`);
}
