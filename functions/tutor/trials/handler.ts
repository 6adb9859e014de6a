import { loadConfig } from "../../../lib/config.ts";
import { forSchedule, wire } from "../../../lib/deps.ts";
import { cloudParts } from "../../../lib/identity/credentials/cloud-parts.ts";
import { jobs } from "../../../lib/platform/jobs/jobs.ts";
import { scheduled } from "../../../lib/platform/jobs/scheduled.ts";
import { workTrials } from "../../../lib/tutor/trials/work.ts";

const deps = forSchedule(await wire(loadConfig(), { parts: cloudParts }));

/**
 * Scheduled each minute, and triggered by starting a trial: sends cases of running trials to the LLM, for a
 * while after a start, else twice an hour. The rest follows in the next run.
 */
export const handler = scheduled(deps, [jobs.trials, (signal) => workTrials(deps, signal)]);
