/** One of a report; null where it is not counted yet. */
export type Figure = number | null;

/** The path of an SVG through figures, `step` apart and `scale` high for each one, with a gap where one is not counted. */
export function lineThrough(figures: Figure[], step: number, scale: number, height: number): string {
  return figures
    .flatMap((figure, at) => {
      if (figure === null) return [];
      const goesOn = typeof figures[at - 1] === "number";
      return [`${goesOn ? "L" : "M"}${at * step} ${height - figure * scale}`];
    })
    .join("");
}

/** Null where none of them is counted. */
export const totalOf = (figures: Figure[]): Figure =>
  figures.reduce((sum, figure) => (figure === null ? sum : (sum ?? 0) + figure), null);
