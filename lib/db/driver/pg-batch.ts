import type { Connection } from "./layers.ts";
import type { PipelinedBatch } from "./pipelined-batch.ts";

/** A batch on a connection of a pool whose clients pipeline, which it holds until released; its statements leave as one write. */
export function pgBatch({ send, release, stream }: Connection): PipelinedBatch {
  stream?.cork();
  return { send, flush: once(() => stream?.uncork()), release: () => release() };
}

/** Corks are counted: one cork, one uncork. */
function once(work: () => void): () => void {
  let done = false;
  return () => {
    if (!done) work();
    done = true;
  };
}
