/** For work that always ends: a deadline could cut it short on a slow machine. */
export const noDeadline = (): AbortSignal => new AbortController().signal;
