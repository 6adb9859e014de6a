import type { Broadcast, GenerationEnd } from "./broadcast.ts";
import type { Delta } from "./chunk-batch.ts";
import type { ReplayBuffer } from "./replay-buffer.ts";

/** Passes on what a feed tells until the answer ends, or its maker falls silent. Throws when `signal` does. */
export async function* subscribe(
  feed: Broadcast,
  transcript: ReplayBuffer,
  signal: AbortSignal,
): AsyncGenerator<Delta[], GenerationEnd | { state: "lapsed" }, undefined> {
  for (;;) {
    // The feed may go on while its news is passed on: an end is one only with all that was told before it.
    const { version, end } = feed;
    const news = transcript.news(feed.draft, end?.state === "complete");
    if (news.length > 0) yield news;
    if (end) return end;
    if (feed.lapsed) return { state: "lapsed" };
    signal.throwIfAborted();
    await feed.next(version);
  }
}
