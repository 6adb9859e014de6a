import { loadConfig } from "../../lib/config.ts";
import { cloudParts } from "../../lib/credentials/cloud-parts.ts";
import { forSchedule, wire } from "../../lib/deps.ts";
import { jobs } from "../../lib/jobs/jobs.ts";
import { scheduled } from "../../lib/jobs/scheduled.ts";
import { workRollouts } from "../../lib/rollouts/work.ts";
import { workWarmings } from "../../lib/warming/work.ts";

const deps = forSchedule(await wire(loadConfig(), { parts: cloudParts }));

/**
 * An event of the schedule, each minute, or of a warming or a promotion that begins: looks at rollouts, and makes answers before
 * a class comes, as long as some are left.
 */
export const handler = scheduled(
  deps,
  [jobs.rollouts, (signal) => workRollouts(deps, signal)],
  [jobs.warming, (signal) => workWarmings(deps, signal)],
);
