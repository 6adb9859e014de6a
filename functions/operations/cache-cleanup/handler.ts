import { loadConfig } from "../../../lib/config.ts";
import { forSchedule, wire } from "../../../lib/deps.ts";
import { pruneCache } from "../../../lib/operations/upkeep/upkeep.ts";
import { jobs } from "../../../lib/platform/jobs/jobs.ts";
import { scheduled } from "../../../lib/platform/jobs/scheduled.ts";

const deps = forSchedule(await wire(loadConfig()));

/** Scheduled: each night. */
export const handler = scheduled(deps, [jobs.prune, (signal) => pruneCache(deps, signal)]);
