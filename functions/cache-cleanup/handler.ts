import { loadConfig } from "../../lib/config.ts";
import { forSchedule, wire } from "../../lib/deps.ts";
import { jobs } from "../../lib/jobs/jobs.ts";
import { scheduled } from "../../lib/jobs/scheduled.ts";
import { refreshMetadata } from "../../lib/saml/refresh.ts";
import { doUpkeep, pruneAll } from "../../lib/upkeep/upkeep.ts";

const deps = forSchedule(await wire(loadConfig()));

/** Scheduled: all maintenance each night, and the short jobs twice an hour. */
export const handler = scheduled(
  deps,
  [jobs.prune, (signal) => pruneAll(deps, signal)],
  [jobs.upkeep, (signal) => doUpkeep(deps, signal)],
  [jobs.saml_metadata, (signal) => refreshMetadata(deps, signal)],
);
