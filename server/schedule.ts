import { endDueAttempts } from "../lib/assessments/grading.ts";
import { type Poller, startPoller } from "../lib/async/poller.ts";
import { workCartridges } from "../lib/cartridges/work.ts";
import { recountProgress } from "../lib/course-progress/recount.ts";
import { type Deps, forSchedule } from "../lib/deps.ts";
import { checkFiles } from "../lib/files/check-files.ts";
import { pruneFiles } from "../lib/files/prune.ts";
import { readTexts } from "../lib/files/read-texts.ts";
import { workImports } from "../lib/imports/work.ts";
import { jobs } from "../lib/jobs/jobs.ts";
import { readRosters } from "../lib/lti/read-rosters.ts";
import { sendScores } from "../lib/lti/send-scores.ts";
import type { MailSender } from "../lib/mail/outbox.ts";
import { noticeAll } from "../lib/notifications/notice-all.ts";
import { workEmbeddings } from "../lib/passages/work.ts";
import { workRetention } from "../lib/retention/work.ts";
import { workRollouts } from "../lib/rollouts/work.ts";
import { refreshMetadata } from "../lib/saml/refresh.ts";
import { lockTask, releaseTask } from "../lib/schedule/tasks.ts";
import { workTrials } from "../lib/trials/work.ts";
import { deleteExpired, doUpkeep, pruneCache } from "../lib/upkeep/upkeep.ts";
import { workWarmings } from "../lib/warming/work.ts";
import { startJob } from "./job.ts";
import { startMail } from "./mail.ts";

/** The lease of the schedule, which is the longest pause after a process dies. It is renewed three times as often. */
const leaseMs = 30_000;

/** Runs all jobs of the schedule until they are stopped. Skips mail without a transport. */
export function startWork(deps: Deps, onMail?: MailSender["onSent"]): Poller[] {
  const own = forSchedule(deps);
  return [
    startMail(own, onMail),
    startJob(own, jobs.notifications, (signal) => noticeAll(own, signal)),
    startJob(own, jobs.outlines, (signal) => recountProgress(own.db, signal)),
    startJob(own, jobs.quiz_deadlines, (signal) => endDueAttempts(own, signal)),
    startJob(own, jobs.imports, (signal) => workImports(own, signal)),
    startJob(own, jobs.files, (signal) => checkFiles(own, signal)),
    startJob(own, jobs.cartridges, (signal) => workCartridges(own, signal)),
    startJob(own, jobs.file_texts, (signal) => readTexts(own, signal)),
    startJob(own, jobs.file_pruning, (signal) => pruneFiles(own, signal)),
    startJob(own, jobs.retention, (signal) => workRetention(own, signal)),
    startJob(own, jobs.rollouts, (signal) => workRollouts(own, signal)),
    startJob(own, jobs.warming, (signal) => workWarmings(own, signal)),
    startJob(own, jobs.embeddings, (signal) => workEmbeddings(own, signal)),
    startJob(own, jobs.trials, (signal) => workTrials(own, signal)),
    startJob(own, jobs.lti_scores, (signal) => sendScores(own, signal)),
    startJob(own, jobs.lti_rosters, (signal) => readRosters(own, signal)),
    startJob(own, jobs.prune, (signal) => pruneCache(own, signal)),
    startJob(own, jobs.expired_rows, (signal) => deleteExpired(own, signal)),
    startJob(own, jobs.upkeep, (signal) => doUpkeep(own, signal)),
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
    if (await lockTask(deps.db, "schedule", holder, heldMs / 1000)) {
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
      await releaseTask(deps.db, "schedule", holder).catch(() => {}); // If this fails, the lease expires.
    },
  };
}
