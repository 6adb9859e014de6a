import { loadConfig } from "../../../lib/config.ts";
import { createDeps, withScheduleDb } from "../../../lib/deps.ts";
import { cloudDeps } from "../../../lib/identity/credentials/cloud-deps.ts";
import { jobs } from "../../../lib/platform/jobs/jobs.ts";
import { createLambdaJobHandler } from "../../../lib/platform/jobs/scheduled.ts";
import { processTrials } from "../../../lib/tutor/trials/work.ts";

const deps = withScheduleDb(await createDeps(loadConfig(), { parts: cloudDeps }));

/**
 * Scheduled each minute, and triggered by starting a trial: sends cases of running trials to the LLM, for a
 * while after a start, else twice an hour. The rest follows in the next run.
 */
export const handler = createLambdaJobHandler(deps, [jobs.trials, (signal) => processTrials(deps, signal)]);
