import { loadConfig } from "../../lib/config.ts";
import { cloudParts } from "../../lib/credentials/cloud-parts.ts";
import { forSchedule, wire } from "../../lib/deps.ts";
import { jobs } from "../../lib/jobs/jobs.ts";
import { scheduled } from "../../lib/jobs/scheduled.ts";
import { workTrials } from "../../lib/trials/work.ts";

const deps = forSchedule(await wire(loadConfig(), { parts: cloudParts }));

/**
 * An event of the schedule, each minute, or of a trial that is started: asks the LLM for the cases of running trials, for a
 * while after one was started, and else twice an hour. What is not asked waits for the next event.
 */
export const handler = scheduled(deps, [jobs.trials, (signal) => workTrials(deps, signal)]);
