import { loadConfig } from "../../../lib/config.ts";
import { createDeps, withScheduleDb } from "../../../lib/deps.ts";
import { sendScores } from "../../../lib/integrations/lti/send-scores.ts";
import { syncDueRosters } from "../../../lib/integrations/lti/sync-rosters.ts";
import { syncDueOneRosterSources } from "../../../lib/integrations/one-roster/sync-sources.ts";
import { jobs } from "../../../lib/platform/jobs/jobs.ts";
import { createLambdaJobHandler } from "../../../lib/platform/jobs/scheduled.ts";

const deps = withScheduleDb(await createDeps(loadConfig()));

/**
 * Scheduled each minute: sends grades to LMSs and reads rosters and OneRoster services that are due or requested, while users are
 * active or work is known to be due.
 */
export const handler = createLambdaJobHandler(
  deps,
  [jobs.lti_scores, (signal) => sendScores(deps, signal)],
  [jobs.lti_rosters, (signal) => syncDueRosters(deps, signal)],
  [jobs.one_roster, (signal) => syncDueOneRosterSources(deps, signal)],
);
