import { loadConfig } from "../../../lib/config.ts";
import { forSchedule, wire } from "../../../lib/deps.ts";
import { readRosters } from "../../../lib/integrations/lti/read-rosters.ts";
import { sendScores } from "../../../lib/integrations/lti/send-scores.ts";
import { jobs } from "../../../lib/platform/jobs/jobs.ts";
import { scheduled } from "../../../lib/platform/jobs/scheduled.ts";

const deps = forSchedule(await wire(loadConfig()));

/**
 * Scheduled each minute: sends grades to LMSs and reads rosters that are due or requested, while users are
 * active or work is known to be due.
 */
export const handler = scheduled(
  deps,
  [jobs.lti_scores, (signal) => sendScores(deps, signal)],
  [jobs.lti_rosters, (signal) => readRosters(deps, signal)],
);
