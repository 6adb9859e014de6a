/** A step that takes longer was too large, in milliseconds. */
const longestMs = 500;

/** How many rows the next step of some work takes. */
export type StepSize = {
  rows(): number;
  /** The last one took so long; Infinity where it was given up. */
  took(milliseconds: number): void;
};

/**
 * Sizes the steps of work that nobody waits for, while others wait for what it holds: the first takes so many rows. One
 * that took too long halves the next, down to a single row; each other gives a sixteenth of the first back.
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
