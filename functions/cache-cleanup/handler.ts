import { loadConfig } from "../../lib/config.ts";
import { scheduled, wire } from "../../lib/deps.ts";
import { doDailyUpkeep, doFrequentUpkeep } from "../../lib/upkeep/upkeep.ts";

const deps = scheduled(await wire(loadConfig()));

/** What is left of the function's time when the work stops, to end its last batch and report. */
const reserveMilliseconds = 10_000;

/** What the schedule asks for: once a day everything, and twice an hour only what is counted. */
type Task = { task?: "count" };

/** An event of the schedule: does the upkeep, within the function's time. */
export async function handler({ task }: Task, context: { getRemainingTimeInMillis(): number }) {
  const signal = AbortSignal.timeout(Math.max(1, context.getRemainingTimeInMillis() - reserveMilliseconds));
  if (task === "count") return doFrequentUpkeep(deps, signal);
  const done = await doDailyUpkeep(deps, signal);
  deps.log.info(done, "the daily upkeep was done");
  return done;
}
