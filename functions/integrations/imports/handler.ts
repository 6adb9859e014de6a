import { loadConfig } from "../../../lib/config.ts";
import { forSchedule, wire } from "../../../lib/deps.ts";
import { workImports } from "../../../lib/integrations/imports/work.ts";
import { jobs } from "../../../lib/platform/jobs/jobs.ts";
import { scheduled } from "../../../lib/platform/jobs/scheduled.ts";

const deps = forSchedule(await wire(loadConfig()));

/**
 * Scheduled each minute, and triggered by imports: continues unfinished imports, for a while after one began,
 * else twice an hour. The rest follows in the next run.
 */
export const handler = scheduled(deps, [jobs.imports, (signal) => workImports(deps, signal)]);
