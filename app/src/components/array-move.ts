/** The lines with one of them at another position, counted from 0; as they are where that is outside. */
export function arrayMove<Line>(lines: readonly Line[], from: number, to: number): Line[] {
  const order = [...lines];
  if (to < 0 || to >= lines.length || from < 0) return order;
  order.splice(to, 0, ...order.splice(from, 1));
  return order;
}
