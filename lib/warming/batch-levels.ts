import { type BatchSettings, batchLimits } from "../llm/batches.ts";

/** A level of fewer answers is made at once: a day's wait is worth more than the half of their price. */
const worthIt = 10;

/** How many answers a level has at least that goes as a batch; null where none does. */
export function leastOfLevel(settings: BatchSettings): number | null {
  const limits = batchLimits(settings);
  return limits ? Math.max(limits.least, worthIt) : null;
}
