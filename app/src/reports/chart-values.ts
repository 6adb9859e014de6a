/** Null if not counted yet. */
export type ChartValue = number | null;

/** An SVG path through the figures, `step` apart and scaled by `scale`, with gaps for null. */
export function svgLinePath(figures: ChartValue[], step: number, scale: number, height: number): string {
  return figures
    .flatMap((figure, at) => {
      if (figure === null) return [];
      const goesOn = typeof figures[at - 1] === "number";
      return [`${goesOn ? "L" : "M"}${at * step} ${height - figure * scale}`];
    })
    .join("");
}

/** The sum, or null if all are null. */
export const sumOrNullIfAllNull = (figures: ChartValue[]): ChartValue =>
  figures.reduce((sum, figure) => (figure === null ? sum : (sum ?? 0) + figure), null);
