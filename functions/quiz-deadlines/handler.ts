import { endDueAttempts, nextAttemptDue } from "../../lib/assessments/grading.ts";
import { loadConfig } from "../../lib/config.ts";
import { scheduled, wire } from "../../lib/deps.ts";
import { pacedFunction } from "../../lib/schedule/paced-function.ts";

const deps = scheduled(await wire(loadConfig()));

/** What is left of the function's time when it stops, for the batch that is under way. */
const reserveMilliseconds = 30_000;

/**
 * An event of the schedule, each minute: closes and grades what its takers left, when it knows of an attempt whose time is
 * up, and twice an hour. What is over takes nothing in any more meanwhile. What is not done waits for the next event.
 */
export const handler = pacedFunction(deps, reserveMilliseconds, async (signal) => ({
  ...(await endDueAttempts(deps, signal)),
  nextDue: await nextAttemptDue(deps.db),
}));
