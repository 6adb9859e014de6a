import { type BatchSettings, batchLimits } from "../../platform/llm/batches.ts";

/** Smaller levels run immediately: half their price is not worth a day's wait. */
const worthIt = 10;

/** Answers in a level's batch; null without batches. */
export function minAnswersOfLevelBatch(settings: BatchSettings): number | null {
  const limits = batchLimits(settings);
  return limits ? Math.max(limits.least, worthIt) : null;
}
