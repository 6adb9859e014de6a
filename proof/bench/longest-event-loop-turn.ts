let longestMs = 0;
let before: number | undefined;

/**
 * CPU milliseconds of the longest turn of the event loop since the last call. Excludes waiting for a CPU,
 * which `monitorEventLoopDelay` includes. The first call keeps the loop busy from then on.
 */
export function takeLongestEventLoopTurnMs(): number {
  const found = longestMs;
  longestMs = 0;
  if (before === undefined) turn();
  return found;
}

function turn(): void {
  const { user, system } = process.threadCpuUsage();
  const now = (user + system) / 1000;
  longestMs = Math.max(longestMs, now - (before ?? now));
  before = now;
  setImmediate(turn);
}
