import { loadConfig } from "../../../lib/config.ts";
import { createDeps, withScheduleDb } from "../../../lib/deps.ts";
import { processImports } from "../../../lib/integrations/imports/work.ts";
import { jobs } from "../../../lib/platform/jobs/jobs.ts";
import { createLambdaJobHandler } from "../../../lib/platform/jobs/scheduled.ts";

const deps = withScheduleDb(await createDeps(loadConfig()));

/**
 * Scheduled each minute, and triggered by imports: continues unfinished imports, for a while after one began,
 * else twice an hour. The rest follows in the next run.
 */
export const handler = createLambdaJobHandler(deps, [jobs.imports, (signal) => processImports(deps, signal)]);
