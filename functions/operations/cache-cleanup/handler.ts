import { loadConfig } from "../../../lib/config.ts";
import { createDeps, withScheduleDb } from "../../../lib/deps.ts";
import { runCachePruningTasks } from "../../../lib/operations/upkeep/upkeep.ts";
import { jobs } from "../../../lib/platform/jobs/jobs.ts";
import { createLambdaJobHandler } from "../../../lib/platform/jobs/scheduled.ts";

const deps = withScheduleDb(await createDeps(loadConfig()));

/** Scheduled: each night. */
export const handler = createLambdaJobHandler(deps, [
  jobs.prune,
  (signal) => runCachePruningTasks(deps, signal),
]);
