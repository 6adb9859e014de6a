import { loadConfig } from "../../lib/config.ts";
import { forSchedule, wire } from "../../lib/deps.ts";
import { jobs } from "../../lib/jobs/jobs.ts";
import { scheduled } from "../../lib/jobs/scheduled.ts";
import { readRosters } from "../../lib/lti/read-rosters.ts";
import { sendScores } from "../../lib/lti/send-scores.ts";

const deps = forSchedule(await wire(loadConfig()));

/**
 * An event of the schedule, each minute: sends grades to the LMSs that have columns for them, and reads rosters that someone
 * asked for or that are due, while people are there, or where it knows that something is due.
 */
export const handler = scheduled(
  deps,
  [jobs.lti_scores, (signal) => sendScores(deps, signal)],
  [jobs.lti_rosters, (signal) => readRosters(deps, signal)],
);
