import type { PlatformClient } from "learning-platform-client";
import type { ConversationStateTracker } from "./conversation-state.ts";
import { readChatSession, readOlderMessages, type TutorChatSession } from "./sessions.ts";

export type ConversationPager = {
  look(): Promise<void>;
  /** Loads the previous page. Returns whether there are more. */
  older(): Promise<boolean>;
  /** Loads older messages until that one is included, if it is part of the conversation. */
  backTo(message: number): Promise<void>;
  whole(): Promise<TutorChatSession | undefined>;
};

export function createConversationPager(
  client: PlatformClient,
  { now, change, signal }: ConversationStateTracker,
): ConversationPager {
  async function older(): Promise<boolean> {
    const { session } = now();
    if (!session?.has_more) return false;
    const page = await readOlderMessages(client, session, signal);
    const messages = [...page.messages, ...session.messages];
    change({ ...now(), session: { ...session, messages, has_more: page.has_more } });
    return page.has_more;
  }

  return {
    older,
    async look() {
      const { session } = now();
      if (!session) return;
      const read = await readChatSession(client, session.id, signal);
      change({ session: withEarlier(read, now().session) });
    },
    async backTo(message) {
      while ((now().session?.messages[0]?.id ?? 0) > message && (await older()));
    },
    async whole() {
      while (await older());
      return now().session;
    },
  };
}

/** Keeps older messages that were loaded before. */
function withEarlier(read: TutorChatSession, before: TutorChatSession | undefined): TutorChatSession {
  const first = read.messages[0]?.id ?? 0;
  const earlier = (before?.messages ?? []).filter(({ id }) => id < first);
  if (earlier.length === 0) return read;
  return { ...read, messages: [...earlier, ...read.messages], has_more: before?.has_more ?? false };
}
