import { endDueAttempts, nextAttemptDue } from "../../lib/assessments/grading.ts";
import { loadConfig } from "../../lib/config.ts";
import { wire } from "../../lib/deps.ts";
import { paceOfSchedule } from "../../lib/schedule/pace.ts";

const deps = wire(loadConfig());
const pace = paceOfSchedule();

/** What is left of the function's time when it stops, for the batch that is under way. */
const reserveMilliseconds = 30_000;

/**
 * An event of the schedule, each minute: closes and grades what its takers left, when it knows of an attempt whose time is
 * up, and twice an hour. What is over takes nothing in any more meanwhile. What is not done waits for the next event.
 */
export async function handler(_event: unknown, context: { getRemainingTimeInMillis(): number }) {
  if (!pace.isDue(deps.now())) return { closed: 0, graded: 0, looked: false };
  const signal = AbortSignal.timeout(Math.max(1, context.getRemainingTimeInMillis() - reserveMilliseconds));
  const ended = await endDueAttempts(deps, signal);
  pace.looked(deps.now(), await nextAttemptDue(deps.db));
  return { ...ended, looked: true };
}
