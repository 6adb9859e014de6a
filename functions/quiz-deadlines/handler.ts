import { endDueAttempts, nextAttemptDue } from "../../lib/assessments/grading.ts";
import { loadConfig } from "../../lib/config.ts";
import { forSchedule, wire } from "../../lib/deps.ts";
import { jobs } from "../../lib/jobs/jobs.ts";
import { scheduled } from "../../lib/jobs/scheduled.ts";

const deps = forSchedule(await wire(loadConfig()));

/**
 * An event of the schedule, each minute: closes and grades what its takers left, when it knows of an attempt whose time is
 * up, and twice an hour. What is over takes nothing in any more meanwhile. What is not done waits for the next event.
 */
export const handler = scheduled(deps, [
  jobs.quiz_deadlines,
  async (signal) => ({ ...(await endDueAttempts(deps, signal)), nextDue: await nextAttemptDue(deps.db) }),
]);
