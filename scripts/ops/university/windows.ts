/** Widths of id windows: the first, its maximum of found rows, and the widest. */
const first = 2000;
const maxWindowsRows = 4000;
const widest = 500_000;

/** Width of the next id window, after one with `found` rows. */
export function nextWindow(width = 0, found = 0): number {
  if (width === 0) return first;
  if (found > maxWindowsRows) return Math.max(first, Math.floor(width / 2));
  return found < maxWindowsRows / 2 ? Math.min(widest, width * 2) : width;
}
