/** A longer step was too large. */
const maxStepMs = 500;

export type AdaptiveStepSize = {
  rows(): number;
  /** Infinity if the step was given up. */
  took(milliseconds: number): void;
};

/**
 * Background work's locks delay requests. A slow step halves the next, down to one row. A fast step adds a
 * sixteenth of the first size.
 */
export function createAdaptiveStepSize(first: number): AdaptiveStepSize {
  let rows = first;
  return {
    rows: () => rows,
    took(milliseconds) {
      rows =
        milliseconds > maxStepMs
          ? Math.max(1, Math.floor(rows / 2))
          : Math.min(first, rows + Math.ceil(first / 16));
    },
  };
}
