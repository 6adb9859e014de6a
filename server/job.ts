import type { Deps } from "../lib/deps.ts";
import { type Poller, startPoller } from "../lib/platform/async/poller.ts";
import type { Job, JobWork } from "../lib/platform/jobs/jobs.ts";
import { beginTaskUnlessBegunSince } from "../lib/platform/schedule/tasks.ts";

const dailyLookSeconds = 600;

/** Runs a job repeatedly, at the interval in its row, until it is stopped. */
export function startJob(
  { db, now, log }: Pick<Deps, "db" | "now" | "log">,
  { name, onServer }: Job,
  verb: JobWork,
): Poller {
  const isDaily = "dailyAt" in onServer;
  const daily = async (signal: AbortSignal) => {
    if (!isDaily || !(await beginTaskUnlessBegunSince(db, name, lastTime(onServer.dailyAt, now())))) return;
    const done = await verb(signal);
    log.info({ job: name, ...Object(done) }, "a daily job ran");
  };
  return startPoller(isDaily ? daily : verb, {
    pauseMilliseconds: 1000 * (isDaily ? dailyLookSeconds : onServer.everySeconds),
    onFailure: (error) => log.warn({ job: name, reason: String(error) }, "a job failed"),
  });
}

/** The last occurrence of that UTC time: today or yesterday. */
export function lastTime(time: string, moment: Date): Date {
  const last = new Date(`${moment.toISOString().slice(0, 10)}T${time}Z`);
  return last > moment ? new Date(last.getTime() - 86_400_000) : last;
}
