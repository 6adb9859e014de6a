import type { Feed, GenerationEnd } from "./feed.ts";
import type { News } from "./piece.ts";
import type { Transcript } from "./transcript.ts";

/** Passes on what a feed tells until the answer ends, or its maker falls silent. Throws when `signal` does. */
export async function* follow(
  feed: Feed,
  transcript: Transcript,
  signal: AbortSignal,
): AsyncGenerator<News[], GenerationEnd | { state: "lapsed" }, undefined> {
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
