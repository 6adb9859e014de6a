import { endDueAttempts } from "../../lib/assessments/grading.ts";
import { loadConfig } from "../../lib/config.ts";
import { wire } from "../../lib/deps.ts";

const deps = wire(loadConfig());

/** What is left of the function's time when it stops, for the batch that is under way. */
const reserveMilliseconds = 30_000;

/** An event of the schedule, each minute: closes and grades what its takers left. What is not done waits for the next. */
export async function handler(_event: unknown, context: { getRemainingTimeInMillis(): number }) {
  const signal = AbortSignal.timeout(Math.max(1, context.getRemainingTimeInMillis() - reserveMilliseconds));
  return endDueAttempts(deps, signal);
}
