import { loadConfig } from "../../../lib/config.ts";
import { createDeps, withScheduleDb } from "../../../lib/deps.ts";
import { cloudDeps } from "../../../lib/identity/credentials/cloud-deps.ts";
import { jobs } from "../../../lib/platform/jobs/jobs.ts";
import { createJobHandler } from "../../../lib/platform/jobs/scheduled.ts";
import { workEmbeddings } from "../../../lib/tutor/passages/work.ts";
import { workRollouts } from "../../../lib/tutor/rollouts/work.ts";
import { workWarmings } from "../../../lib/tutor/warming/work.ts";

const deps = withScheduleDb(await createDeps(loadConfig(), { parts: cloudDeps }));

/**
 * Scheduled each minute, and triggered by warming or promotion: checks rollouts, pre-generates answers, then
 * computes embeddings.
 */
export const handler = createJobHandler(
  deps,
  [jobs.rollouts, (signal) => workRollouts(deps, signal)],
  [jobs.warming, (signal) => workWarmings(deps, signal)],
  [jobs.embeddings, (signal) => workEmbeddings(deps, signal)],
);
