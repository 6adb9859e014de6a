/** For work that ends by itself: a deadline would cut it short on a slow machine. */
export const noDeadline = (): AbortSignal => new AbortController().signal;
