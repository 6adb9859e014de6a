/** A longer step was too large, in milliseconds. */
const longestMs = 500;

export type StepSize = {
  rows(): number;
  /** Reports the last step's duration; Infinity if it was given up. */
  took(milliseconds: number): void;
};

/**
 * Sizes the steps of background work, whose locks delay requests. A slow step halves the next, down to one
 * row. Each fast step adds a sixteenth of the first size.
 */
export function stepSizeFrom(first: number): StepSize {
  let rows = first;
  return {
    rows: () => rows,
    took(milliseconds) {
      rows =
        milliseconds > longestMs
          ? Math.max(1, Math.floor(rows / 2))
          : Math.min(first, rows + Math.ceil(first / 16));
    },
  };
}
