let longestMs = 0;
let before: number | undefined;

/**
 * The most milliseconds of a processor that one turn of the event loop took since this was last asked. Waiting for a
 * processor is no part of it, which `monitorEventLoopDelay` counts as well. From the first time on the loop never rests.
 */
export function longestTurn(): number {
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
