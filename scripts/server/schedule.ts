import { countNew } from "../../lib/analytics/count-new.ts";
import { foldAllVisits, pruneTree } from "../../lib/chat/prune.ts";
import type { Deps } from "../../lib/deps.ts";
import type { MailSender } from "../../lib/mail/outbox.ts";
import { type Rounds, startRounds } from "../../lib/rounds.ts";
import { beginTask, holdTask, releaseTask } from "../../lib/schedule/tasks.ts";
import { startImports } from "./imports.ts";
import { startMail } from "./mail.ts";
import { startNotifications } from "./notifications.ts";
import { startQuizDeadlines } from "./quiz-deadlines.ts";
import { startUpkeep } from "./upkeep.ts";

const minute = 60_000;

/** A process that dies holds the schedule this long at most; it renews its lease three times as often. */
const leaseMs = 30_000;

/** Counts what is new for the reports, so that none finds much to count, and the visits to stored answers. */
const startCounting = (deps: Deps): Rounds =>
  startRounds(
    async (signal) => {
      await countNew(deps.db);
      await foldAllVisits(deps.db, signal);
    },
    {
      pauseMilliseconds: 5 * minute,
      onFailure: (error) => deps.log.warn({ reason: String(error) }, "what is new could not be counted"),
    },
  );

/** Prunes the tree once in a day of UTC, after 3:30, when few are there. What is left over waits for the next day. */
const startPruning = (deps: Deps): Rounds =>
  startRounds(
    async (signal) => {
      if (!(await beginTask(deps.db, "prune", lastQuietHour(deps.now())))) return;
      deps.log.info(await pruneTree(deps.db, deps.config, signal), "the tree was pruned");
    },
    {
      pauseMilliseconds: 10 * minute,
      onFailure: (error) => deps.log.warn({ reason: String(error) }, "the tree could not be pruned"),
    },
  );

/** The last 3:30 of UTC before a moment. */
export function lastQuietHour(moment: Date): Date {
  const quiet = new Date(moment);
  quiet.setUTCHours(3, 30, 0, 0);
  return quiet > moment ? new Date(quiet.getTime() - 24 * 60 * minute) : quiet;
}

/** Does all that the functions of a schedule do, in rounds, until they are stopped; for the one that holds the schedule. */
export const startWork = (deps: Deps, onMail?: MailSender["onSent"]): Rounds[] =>
  [
    startMail(deps, onMail),
    startQuizDeadlines(deps),
    startImports(deps),
    startNotifications(deps),
    startCounting(deps),
    startPruning(deps),
    startUpkeep(deps),
  ].filter((rounds) => rounds !== undefined);

/**
 * Does the work of the schedule while no other holder on this database does, until it is stopped. Those who give the
 * same `holder`, a UUID, follow each other without a wait: never start two of them at once.
 */
export function startSchedule(
  deps: Deps,
  holder: string,
  { start = (deps: Deps) => startWork(deps), heldMs = leaseMs } = {},
): Rounds {
  let work: Rounds[] = [];
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
  const lease = startRounds(renew, {
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
