export const nodeArguments = ["--import", new URL("./quick-start.mjs", import.meta.url).href];

/**
 * Arguments for serving processes. With a limit of 512 MB, V8 grows the heap to 1.5 times the live data;
 * without one, to four times. A young generation of 16 MB holds the work of 64 concurrent lists; with 8 MB, part
 * of it waits for a full collection. V8 takes the statements that are built at the start as a sign that all
 * statements live long: without pretenuring, it frees those of requests early. Measurements:
 * docs/performance.md.
 */
export const servingArguments = [
  ...nodeArguments,
  "--max-old-space-size=512",
  "--max-semi-space-size=16",
  "--no-allocation-site-pretenuring",
];
