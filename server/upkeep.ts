import { type Poller, startPoller } from "../lib/async/poller.ts";
import { lookAnew } from "../lib/course-progress/look-anew.ts";
import type { Deps } from "../lib/deps.ts";
import { beginTask } from "../lib/schedule/tasks.ts";
import { doDailyUpkeep, doFrequentUpkeep } from "../lib/upkeep/upkeep.ts";

const minute = 60_000;

/** Does what is to be done several times an hour, until it is stopped. */
export const startFrequentUpkeep = (deps: Deps): Poller =>
  startPoller((signal) => doFrequentUpkeep(deps, signal), {
    pauseMilliseconds: 5 * minute,
    onFailure: (error) => deps.log.warn({ reason: String(error) }, "the frequent upkeep failed"),
  });

/** Looks anew at who learns where an outline was edited, so that what is read of them is a minute behind at most. */
export const startLookingAnew = (deps: Deps): Poller =>
  startPoller((signal) => lookAnew(deps.db, signal), {
    pauseMilliseconds: 15_000,
    onFailure: (error) => deps.log.warn({ reason: String(error) }, "edited outlines could not be looked at"),
  });

/** Does what is to be done once in a day of UTC, after 3:30, when few are there, until it is stopped. */
export const startDailyUpkeep = (deps: Deps): Poller =>
  startPoller(
    async (signal) => {
      if (!(await beginTask(deps.db, "prune", lastQuietHour(deps.now())))) return;
      deps.log.info(await doDailyUpkeep(deps, signal), "the daily upkeep was done");
    },
    {
      pauseMilliseconds: 10 * minute,
      onFailure: (error) => deps.log.warn({ reason: String(error) }, "the daily upkeep failed"),
    },
  );

/** The last 3:30 of UTC before a moment. */
export function lastQuietHour(moment: Date): Date {
  const quiet = new Date(moment);
  quiet.setUTCHours(3, 30, 0, 0);
  return quiet > moment ? new Date(quiet.getTime() - 24 * 60 * minute) : quiet;
}
