import { workCartridges } from "../../lib/cartridges/work.ts";
import { loadConfig } from "../../lib/config.ts";
import { forSchedule, wire } from "../../lib/deps.ts";
import { checkFiles } from "../../lib/files/check-files.ts";
import { fileParts } from "../../lib/files/file-parts.ts";
import { pruneFiles } from "../../lib/files/prune.ts";
import { readTexts } from "../../lib/files/read-texts.ts";
import { jobs } from "../../lib/jobs/jobs.ts";
import { scheduled } from "../../lib/jobs/scheduled.ts";
import { workRetention } from "../../lib/retention/work.ts";

const deps = forSchedule(await wire(loadConfig(), { parts: fileParts }));

/**
 * An event of the schedule, each minute, or of a file that was sent: looks at files, imports cartridges, reads texts, and deletes those
 * that nobody keeps, for a while after one was sent, and else twice an hour. It also forgets what universities have set to be
 * forgotten: an archive of that is in the file store.
 */
export const handler = scheduled(
  deps,
  [jobs.files, (signal) => checkFiles(deps, signal)],
  [jobs.cartridges, (signal) => workCartridges(deps, signal)],
  [jobs.file_texts, (signal) => readTexts(deps, signal)],
  [jobs.file_pruning, (signal) => pruneFiles(deps, signal)],
  [jobs.retention, (signal) => workRetention(deps, signal)],
);
