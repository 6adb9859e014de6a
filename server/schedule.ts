import { type Poller, startPoller } from "../lib/async/poller.ts";
import { type Deps, scheduled } from "../lib/deps.ts";
import type { MailSender } from "../lib/mail/outbox.ts";
import { holdTask, releaseTask } from "../lib/schedule/tasks.ts";
import { startImports } from "./imports.ts";
import { startMail } from "./mail.ts";
import { startNotifications } from "./notifications.ts";
import { startQuizDeadlines } from "./quiz-deadlines.ts";
import { startDailyUpkeep, startFrequentUpkeep, startLookingAnew } from "./upkeep.ts";

/** A process that dies holds the schedule this long at most; it renews its lease three times as often. */
const leaseMs = 30_000;

/** Does all that the functions of a schedule do, in rounds, until they are stopped; for the one that holds the schedule. */
export function startWork(deps: Deps, onMail?: MailSender["onSent"]): Poller[] {
  const own = scheduled(deps);
  return [
    startMail(own, onMail),
    startQuizDeadlines(own),
    startImports(own),
    startNotifications(own),
    startLookingAnew(own),
    startFrequentUpkeep(own),
    startDailyUpkeep(own),
  ].filter((rounds) => rounds !== undefined);
}

/**
 * Does the work of the schedule while no other holder on this database does, until it is stopped. Those who give the
 * same `holder`, a UUID, follow each other without a wait: never start two of them at once.
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
    if (await holdTask(deps.db, "schedule", holder, heldMs / 1000)) {
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
      await releaseTask(deps.db, "schedule", holder).catch(() => {}); // It ends by itself.
    },
  };
}
