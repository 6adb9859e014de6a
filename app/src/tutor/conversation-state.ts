import type { TutorChatSession } from "./sessions.ts";

/** A conversation and, while an answer streams, the message and the answer so far. */
export type ConversationState = {
  session?: TutorChatSession;
  /** A message that was just sent and is not part of the session yet. */
  said?: string;
  received?: string;
  fault?: unknown;
};

/** The state of a conversation while it is on screen. */
export type ConversationStateTracker = {
  /** Aborts on unmount. */
  signal: AbortSignal;
  now(): ConversationState;
  change(next: ConversationState): void;
  leave(): void;
};

/** Calls `show` on each change. */
export function createConversationStateTracker(
  show: (state: ConversationState) => void,
): ConversationStateTracker {
  const left = new AbortController();
  let now: ConversationState = {};
  return {
    signal: left.signal,
    now: () => now,
    change(next) {
      now = next;
      if (!left.signal.aborted) show(now);
    },
    leave: () => left.abort(),
  };
}
