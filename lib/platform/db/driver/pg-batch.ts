import type { Connection } from "./layers.ts";
import type { PipelinedBatch } from "./pipelined-batch.ts";

/** A batch on one pipelining connection, sent as one write. */
export function toPgPipelinedBatch({ send, release, stream }: Connection): PipelinedBatch {
  stream?.cork();
  return { send, flush: once(() => stream?.uncork()), release: () => release() };
}

/** Cork and uncork are counted: they must match. */
function once(work: () => void): () => void {
  let done = false;
  return () => {
    if (!done) work();
    done = true;
  };
}
