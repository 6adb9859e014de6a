import type { AnswerBroadcast, GenerationEnd } from "./broadcast.ts";
import type { AnswerStreamEvent } from "./chunk-batch.ts";
import type { ReplayBuffer } from "./replay-buffer.ts";

/** Follows a broadcast until the answer ends or its producer's lease expires. Throws when `signal` does. */
export async function* subscribeToGeneration(
  broadcast: AnswerBroadcast,
  buffer: ReplayBuffer,
  signal: AbortSignal,
): AsyncGenerator<AnswerStreamEvent[], GenerationEnd | { state: "lapsed" }, undefined> {
  for (;;) {
    // Deltas may arrive while others are sent, so the end is read with its version.
    const { version, end } = broadcast;
    const deltas = buffer.deltas(broadcast.draft, end?.state === "complete");
    if (deltas.length > 0) yield deltas;
    if (end) return end;
    if (broadcast.lapsed) return { state: "lapsed" };
    signal.throwIfAborted();
    await broadcast.next(version);
  }
}
