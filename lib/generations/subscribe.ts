import type { Broadcast, GenerationEnd } from "./broadcast.ts";
import type { Delta } from "./chunk-batch.ts";
import type { ReplayBuffer } from "./replay-buffer.ts";

/** Passes on what a broadcast sends until the answer ends, or its producer falls silent. Throws when `signal` does. */
export async function* subscribe(
  broadcast: Broadcast,
  buffer: ReplayBuffer,
  signal: AbortSignal,
): AsyncGenerator<Delta[], GenerationEnd | { state: "lapsed" }, undefined> {
  for (;;) {
    // More may be broadcast while its deltas are passed on: the end counts after all that was sent before it.
    const { version, end } = broadcast;
    const deltas = buffer.deltas(broadcast.draft, end?.state === "complete");
    if (deltas.length > 0) yield deltas;
    if (end) return end;
    if (broadcast.lapsed) return { state: "lapsed" };
    signal.throwIfAborted();
    await broadcast.next(version);
  }
}
