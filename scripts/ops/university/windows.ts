/** Of ids: the first window, what it may hold at most, and how wide it becomes where hardly any row is taken. */
const first = 2000;
const most = 4000;
const widest = 500_000;

/** How many ids the next statement looks at, after one that found so many rows. */
export function nextWindow(width = 0, found = 0): number {
  if (width === 0) return first;
  if (found > most) return Math.max(first, Math.floor(width / 2));
  return found < most / 2 ? Math.min(widest, width * 2) : width;
}
