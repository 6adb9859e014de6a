import { loadConfig } from "../../../lib/config.ts";
import { forSchedule, wire } from "../../../lib/deps.ts";
import { cloudParts } from "../../../lib/identity/credentials/cloud-parts.ts";
import { jobs } from "../../../lib/platform/jobs/jobs.ts";
import { scheduled } from "../../../lib/platform/jobs/scheduled.ts";
import { workEmbeddings } from "../../../lib/tutor/passages/work.ts";
import { workRollouts } from "../../../lib/tutor/rollouts/work.ts";
import { workWarmings } from "../../../lib/tutor/warming/work.ts";

const deps = forSchedule(await wire(loadConfig(), { parts: cloudParts }));

/**
 * Scheduled each minute, and triggered by warming or promotion: checks rollouts, pre-generates answers, then
 * computes embeddings.
 */
export const handler = scheduled(
  deps,
  [jobs.rollouts, (signal) => workRollouts(deps, signal)],
  [jobs.warming, (signal) => workWarmings(deps, signal)],
  [jobs.embeddings, (signal) => workEmbeddings(deps, signal)],
);
