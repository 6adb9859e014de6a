import type { ChatMessage } from "../../schema/api/chat.ts";
import { unavailable } from "../errors.ts";
import { type Feed, type GenerationEnd, openFeed } from "../generations/feed.ts";
import { makeAnswer } from "../generations/maker.ts";
import type { Heard } from "../generations/piece.ts";
import { Transcript } from "../generations/transcript.ts";
import { type Claim, claimAnswer, type Making } from "./claim-answer.ts";
import { closeTurn } from "./close-turn.ts";
import { llmRequest } from "./llm-request.ts";
import { messageOf } from "./messages.ts";
import type { OpenTurn } from "./open-turn.ts";
import type { TurnWorld, TutorPrompt } from "./turn.ts";

/** An answer as it is heard, and the stored message at its end. */
export type Answer = AsyncGenerator<Heard, ChatMessage, undefined>;

/**
 * Hears the answer to an open turn, whoever makes it: this call, where it is the first to want it, or takes the place
 * of a maker who fell silent; else another. Its end is stored in the session before it is told. What this call makes
 * goes on to its end also when the turn is lost meanwhile.
 */
export async function* hearAnswer(world: TurnWorld, opened: OpenTurn, prompt: TutorPrompt): Answer {
  const transcript = new Transcript();
  const making: Promise<void>[] = [];
  let turn = opened;
  const claim = (): Promise<Claim> => claimAnswer(world, turn, prompt);
  const make = (generation: number, { token, attempt, ...material }: Making) =>
    makeAnswer(
      world,
      { generation, token, attempt, isShared: turn.shared },
      llmRequest(turn, prompt, material),
    );
  try {
    for (let claimed = await claim(); ; ) {
      if ("stored" in claimed) {
        yield* transcript.news({ pieces: [claimed.stored.chunks] }, true);
        return messageOf(claimed.stored);
      }
      if ("pathGone" in claimed) {
        turn = { ...turn, shared: false };
        claimed = await claim();
        continue;
      }
      using joined = openFeed(world.db, claimed.generation);
      if (claimed.maker) making.push(make(claimed.generation, claimed.maker));
      const heard = yield* listen(joined.feed, transcript, world.signal);
      if (heard.state === "complete") {
        const { stored } = heard;
        if (stored) return messageOf({ ...stored, chunks: joined.feed.telling.pieces.flat() });
        return await closeTurn(world.db, turn, claimed.generation);
      }
      if (heard.state === "failed") throw unavailable("The tutor cannot be reached just now");
      const again = heard.state === "lapsed" ? joined.feed.claimOnce(claim) : claim();
      claimed = (await again) ?? { generation: claimed.generation };
    }
  } finally {
    await Promise.all(making);
  }
}

/** Passes on what a feed tells until the answer ends, or its maker falls silent. */
async function* listen(
  feed: Feed,
  transcript: Transcript,
  signal: AbortSignal,
): AsyncGenerator<Heard, GenerationEnd | { state: "lapsed" }, undefined> {
  for (;;) {
    yield* transcript.news(feed.telling, feed.end?.state === "complete");
    if (feed.end) return feed.end;
    if (feed.lapsed) return { state: "lapsed" };
    signal.throwIfAborted();
    await feed.next();
  }
}
