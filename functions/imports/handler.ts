import { loadConfig } from "../../lib/config.ts";
import { wire } from "../../lib/deps.ts";
import { workImports } from "../../lib/imports/work.ts";
import { isSignOfLife, paceOfSchedule } from "../../lib/schedule/pace.ts";

const deps = wire(loadConfig());
const pace = paceOfSchedule();

/** What is left of the function's time when it stops, for the batch that is under way. */
const reserveMilliseconds = 30_000;

/**
 * An event of the schedule, each minute, or of an import that begins: works on what imports have left, for a while after
 * one began, and else twice an hour. What is not done waits for the next event.
 */
export async function handler(event: unknown, context: { getRemainingTimeInMillis(): number }) {
  if (isSignOfLife(event)) pace.wake(deps.now());
  if (!pace.isDue(deps.now())) return { looked: false };
  const signal = AbortSignal.timeout(Math.max(1, context.getRemainingTimeInMillis() - reserveMilliseconds));
  const worked = await workImports(deps, signal);
  pace.looked(deps.now(), undefined);
  return { ...worked, looked: true };
}
