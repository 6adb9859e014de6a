import type { Session } from "./sessions.ts";

/** What is known of a conversation; while an answer is received, what was said and what has come of it. */
export type ConversationState = {
  session?: Session;
  /** Said just now, and not read back from the service yet. */
  said?: string;
  /** The answer as far as it has come. */
  received?: string;
  /** Why the last answer did not come to its end. */
  fault?: unknown;
};

/** What is shown of a conversation, until whoever looks at it leaves. */
export type ShownConversation = {
  /** Aborts when nobody looks any more. */
  signal: AbortSignal;
  now(): ConversationState;
  change(next: ConversationState): void;
  leave(): void;
};

/** Tells `show` of every change. */
export function showConversation(show: (state: ConversationState) => void): ShownConversation {
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
