import {
  closeAndGradeDueAttempts,
  nextAttemptDeadline,
} from "../../../lib/assessment/grade-closed-attempts.ts";
import { loadConfig } from "../../../lib/config.ts";
import { createDeps, withScheduleDb } from "../../../lib/deps.ts";
import { jobs } from "../../../lib/platform/jobs/jobs.ts";
import { createLambdaJobHandler } from "../../../lib/platform/jobs/scheduled.ts";

const deps = withScheduleDb(await createDeps(loadConfig()));

/**
 * Scheduled each minute: closes and grades expired attempts if one is known to be due, else twice an hour.
 * Expired attempts accept no changes before that. The rest follows in the next run.
 */
export const handler = createLambdaJobHandler(deps, [
  jobs.quiz_deadlines,
  async (signal) => ({
    ...(await closeAndGradeDueAttempts(deps, signal)),
    nextDue: await nextAttemptDeadline(deps.db),
  }),
]);
