import { closeAndGradeDueAttempts } from "../lib/assessment/grade-closed-attempts.ts";
import { recomputeStaleCourseProgress } from "../lib/courses/course-progress/recount.ts";
import { createNotificationsAndQueueMails } from "../lib/courses/notifications/process-notifications.ts";
import { type Deps, withScheduleDb } from "../lib/deps.ts";
import { hashAndScanPendingFiles } from "../lib/files/check-files.ts";
import { extractDocumentTexts } from "../lib/files/extract-document-texts.ts";
import { pruneFiles } from "../lib/files/prune.ts";
import { refreshMetadata } from "../lib/identity/saml/refresh.ts";
import { processCartridgeImports } from "../lib/integrations/cartridges/work.ts";
import { processImports } from "../lib/integrations/imports/work.ts";
import { sendScores } from "../lib/integrations/lti/send-scores.ts";
import { syncDueRosters } from "../lib/integrations/lti/sync-rosters.ts";
import { syncDueOneRosterSources } from "../lib/integrations/one-roster/sync-sources.ts";
import { runRetentionPolicies } from "../lib/operations/retention/work.ts";
import {
  runCachePruningTasks,
  runDailyExpiryTasks,
  runFrequentUpkeep,
} from "../lib/operations/upkeep/upkeep.ts";
import { type Poller, startPoller } from "../lib/platform/async/poller.ts";
import { jobs } from "../lib/platform/jobs/jobs.ts";
import type { MailSenderDeps } from "../lib/platform/mail/outbox.ts";
import { releaseTaskLease, takeOrRenewTaskLease } from "../lib/platform/schedule/tasks.ts";
import { embedAndMeasurePassages } from "../lib/tutor/passages/work.ts";
import { processRollouts } from "../lib/tutor/rollouts/work.ts";
import { processTrials } from "../lib/tutor/trials/work.ts";
import { processWarmings } from "../lib/tutor/warming/work.ts";
import { startJob } from "./job.ts";
import { startMail } from "./mail.ts";

/** The lease of the schedule, which is the longest pause after a process dies. It is renewed three times as often. */
const leaseMs = 30_000;

/** Runs all jobs of the schedule until they are stopped. Skips mail without a transport. */
export function startWork(deps: Deps, onMail?: MailSenderDeps["onSent"]): Poller[] {
  const own = withScheduleDb(deps);
  return [
    startMail(own, onMail),
    startJob(own, jobs.notifications, (signal) => createNotificationsAndQueueMails(own, signal)),
    startJob(own, jobs.outlines, (signal) => recomputeStaleCourseProgress(own.db, signal)),
    startJob(own, jobs.quiz_deadlines, (signal) => closeAndGradeDueAttempts(own, signal)),
    startJob(own, jobs.imports, (signal) => processImports(own, signal)),
    startJob(own, jobs.files, (signal) => hashAndScanPendingFiles(own, signal)),
    startJob(own, jobs.cartridges, (signal) => processCartridgeImports(own, signal)),
    startJob(own, jobs.file_texts, (signal) => extractDocumentTexts(own, signal)),
    startJob(own, jobs.file_pruning, (signal) => pruneFiles(own, signal)),
    startJob(own, jobs.retention, (signal) => runRetentionPolicies(own, signal)),
    startJob(own, jobs.rollouts, (signal) => processRollouts(own, signal)),
    startJob(own, jobs.warming, (signal) => processWarmings(own, signal)),
    startJob(own, jobs.embeddings, (signal) => embedAndMeasurePassages(own, signal)),
    startJob(own, jobs.trials, (signal) => processTrials(own, signal)),
    startJob(own, jobs.lti_scores, (signal) => sendScores(own, signal)),
    startJob(own, jobs.lti_rosters, (signal) => syncDueRosters(own, signal)),
    startJob(own, jobs.one_roster, (signal) => syncDueOneRosterSources(own, signal)),
    startJob(own, jobs.prune, (signal) => runCachePruningTasks(own, signal)),
    startJob(own, jobs.expired_rows, (signal) => runDailyExpiryTasks(own, signal)),
    startJob(own, jobs.upkeep, (signal) => runFrequentUpkeep(own, signal)),
    startJob(own, jobs.saml_metadata, (signal) => refreshMetadata(own, signal)),
  ].filter((rounds) => rounds !== undefined);
}

/**
 * Runs the schedule while no other holder has its lease in this database. Processes with the same `holder` (a
 * UUID) take over without waiting: never run two of them concurrently.
 */
export function startSchedule(
  deps: Deps,
  holder: string,
  { start = (deps: Deps) => startWork(deps), heldMs = leaseMs } = {},
): Poller {
  let work: Poller[] = [];
  let heldUntil = 0;
  const stopWork = async () => {
    const stopping = work.splice(0);
    await Promise.all(stopping.map((rounds) => rounds.stop()));
  };
  const renew = async () => {
    const asked = performance.now();
    if (await takeOrRenewTaskLease(deps.db, "schedule", holder, heldMs / 1000)) {
      heldUntil = asked + heldMs;
      if (work.length === 0) work = start(deps);
    } else await stopWork();
  };
  const lease = startPoller(renew, {
    pauseMilliseconds: heldMs / 3,
    onFailure(error) {
      deps.log.warn({ reason: String(error) }, "the schedule's lease could not be renewed");
      if (performance.now() > heldUntil) void stopWork();
    },
  });
  return {
    async stop() {
      await lease.stop();
      await stopWork();
      await releaseTaskLease(deps.db, "schedule", holder).catch(() => {}); // If this fails, the lease expires.
    },
  };
}
