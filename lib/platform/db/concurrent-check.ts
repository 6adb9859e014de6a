import { type QueryStats, queryStatsStorage } from "./driver/observe.ts";
import { isDatabaseUnavailable } from "./unavailable.ts";

/** Longer work is checked again at its end, because it may have waited for a lock. */
const maxCheckedWorkMs = 1000;

/**
 * Runs `check` and `work` at the same time, on two connections. The round trips of `check` are the request's only
 * if `work` has none. Throws if `work` could not reach the database.
 */
export async function runWithConcurrentCheck<Work, Check>(
  work: () => Promise<Work>,
  check: () => Promise<Check>,
): Promise<[PromiseSettledResult<Work>, Check]> {
  const stats = queryStatsStorage.getStore();
  const tripsBefore = stats?.count;
  const ofCheck: QueryStats = { ...stats, count: 0, duration_ms: 0 };
  const startedAt = performance.now();
  const [[outcome], checked] = await Promise.all([
    Promise.allSettled([work()]),
    queryStatsStorage.run(ofCheck, check),
  ]);
  if (outcome.status === "rejected" && isDatabaseUnavailable(outcome.reason)) throw outcome.reason;
  if (performance.now() - startedAt > maxCheckedWorkMs) return [outcome, await check()];
  if (stats && stats.count === tripsBefore) {
    stats.count += ofCheck.count;
    stats.duration_ms += ofCheck.duration_ms;
  }
  return [outcome, checked];
}
