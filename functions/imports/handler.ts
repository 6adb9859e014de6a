import { loadConfig } from "../../lib/config.ts";
import { forSchedule, wire } from "../../lib/deps.ts";
import { workImports } from "../../lib/imports/work.ts";
import { jobs } from "../../lib/jobs/jobs.ts";
import { scheduled } from "../../lib/jobs/scheduled.ts";

const deps = forSchedule(await wire(loadConfig()));

/**
 * An event of the schedule, each minute, or of an import that begins: works on what imports have left, for a while after
 * one began, and else twice an hour. What is not done waits for the next event.
 */
export const handler = scheduled(deps, [jobs.imports, (signal) => workImports(deps, signal)]);
