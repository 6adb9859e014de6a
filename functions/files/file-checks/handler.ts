import { loadConfig } from "../../../lib/config.ts";
import { createDeps, withScheduleDb } from "../../../lib/deps.ts";
import { hashAndScanPendingFiles } from "../../../lib/files/check-files.ts";
import { extractDocumentTexts } from "../../../lib/files/extract-document-texts.ts";
import { fileStoreDeps } from "../../../lib/files/file-store-deps.ts";
import { pruneFiles } from "../../../lib/files/prune.ts";
import { processCartridgeImports } from "../../../lib/integrations/cartridges/work.ts";
import { runRetentionPolicies } from "../../../lib/operations/retention/work.ts";
import { jobs } from "../../../lib/platform/jobs/jobs.ts";
import { createLambdaJobHandler } from "../../../lib/platform/jobs/scheduled.ts";

const deps = withScheduleDb(await createDeps(loadConfig(), { parts: fileStoreDeps }));

/**
 * Scheduled each minute, and triggered by uploads: checks files, imports cartridges, extracts text, deletes
 * unused files, and applies retention, whose archives are files. Runs for a while after an upload, else twice
 * an hour.
 */
export const handler = createLambdaJobHandler(
  deps,
  [jobs.files, (signal) => hashAndScanPendingFiles(deps, signal)],
  [jobs.cartridges, (signal) => processCartridgeImports(deps, signal)],
  [jobs.file_texts, (signal) => extractDocumentTexts(deps, signal)],
  [jobs.file_pruning, (signal) => pruneFiles(deps, signal)],
  [jobs.retention, (signal) => runRetentionPolicies(deps, signal)],
);
