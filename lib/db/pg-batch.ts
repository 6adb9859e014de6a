import type { Flight } from "./pipelined-batch.ts";
import type { LentClient } from "./layers.ts";

/** A connection of a pool whose clients pipeline, until it lands; its statements leave as one write. */
export function pgFlight({ query, release, stream }: LentClient): Flight {
  stream?.cork();
  return { query, depart: once(() => stream?.uncork()), land: () => release() };
}

/** Corks are counted: one cork, one uncork. */
function once(work: () => void): () => void {
  let done = false;
  return () => {
    if (!done) work();
    done = true;
  };
}
