import { loadConfig } from "../../../lib/config.ts";
import { createDeps, withScheduleDb } from "../../../lib/deps.ts";
import { cloudDeps } from "../../../lib/identity/credentials/cloud-deps.ts";
import { jobs } from "../../../lib/platform/jobs/jobs.ts";
import { createLambdaJobHandler } from "../../../lib/platform/jobs/scheduled.ts";
import { embedAndMeasurePassages } from "../../../lib/tutor/passages/work.ts";
import { processRollouts } from "../../../lib/tutor/rollouts/work.ts";
import { processWarmings } from "../../../lib/tutor/warming/work.ts";

const deps = withScheduleDb(await createDeps(loadConfig(), { parts: cloudDeps }));

/**
 * Scheduled each minute, and triggered by warming or promotion: checks rollouts, pre-generates answers, then
 * computes embeddings.
 */
export const handler = createLambdaJobHandler(
  deps,
  [jobs.rollouts, (signal) => processRollouts(deps, signal)],
  [jobs.warming, (signal) => processWarmings(deps, signal)],
  [jobs.embeddings, (signal) => embedAndMeasurePassages(deps, signal)],
);
