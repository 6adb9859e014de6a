import { endDueAttempts, nextAttemptDue } from "../../../lib/assessment/grading.ts";
import { loadConfig } from "../../../lib/config.ts";
import { forSchedule, wire } from "../../../lib/deps.ts";
import { jobs } from "../../../lib/platform/jobs/jobs.ts";
import { scheduled } from "../../../lib/platform/jobs/scheduled.ts";

const deps = forSchedule(await wire(loadConfig()));

/**
 * Scheduled each minute: closes and grades expired attempts if one is known to be due, else twice an hour.
 * Expired attempts accept no changes before that. The rest follows in the next run.
 */
export const handler = scheduled(deps, [
  jobs.quiz_deadlines,
  async (signal) => ({ ...(await endDueAttempts(deps, signal)), nextDue: await nextAttemptDue(deps.db) }),
]);
