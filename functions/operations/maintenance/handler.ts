import { loadConfig } from "../../../lib/config.ts";
import { createDeps, withScheduleDb } from "../../../lib/deps.ts";
import { refreshMetadata } from "../../../lib/identity/saml/refresh.ts";
import { runDailyExpiryTasks, runFrequentUpkeep } from "../../../lib/operations/upkeep/upkeep.ts";
import { jobs } from "../../../lib/platform/jobs/jobs.ts";
import { createLambdaJobHandler } from "../../../lib/platform/jobs/scheduled.ts";

const deps = withScheduleDb(await createDeps(loadConfig()));

/** An event of the schedule: each night everything, and twice an hour what is to be little whenever someone asks. */
export const handler = createLambdaJobHandler(
  deps,
  [jobs.expired_rows, (signal) => runDailyExpiryTasks(deps, signal)],
  [jobs.upkeep, (signal) => runFrequentUpkeep(deps, signal)],
  [jobs.saml_metadata, (signal) => refreshMetadata(deps, signal)],
);
