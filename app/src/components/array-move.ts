/** Moves a line to another index (from 0). Returns the same order if the index is out of range. */
export function arrayMove<Line>(lines: readonly Line[], from: number, to: number): Line[] {
  const order = [...lines];
  if (to < 0 || to >= lines.length || from < 0) return order;
  order.splice(to, 0, ...order.splice(from, 1));
  return order;
}
