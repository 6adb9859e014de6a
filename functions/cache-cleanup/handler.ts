import { loadConfig } from "../../lib/config.ts";
import { forSchedule, wire } from "../../lib/deps.ts";
import { jobs } from "../../lib/jobs/jobs.ts";
import { scheduled } from "../../lib/jobs/scheduled.ts";
import { pruneCache } from "../../lib/upkeep/upkeep.ts";

const deps = forSchedule(await wire(loadConfig()));

/** Scheduled: each night. */
export const handler = scheduled(deps, [jobs.prune, (signal) => pruneCache(deps, signal)]);
