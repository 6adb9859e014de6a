import { askTutor, dataOf, type PlatformClient, type TutorEvent } from "learning-platform-client";
import { accumulateAnswerText, resumeAnswerStream } from "./answer-stream.ts";
import { type ConversationPager, createConversationPager } from "./conversation-pager.ts";
import {
  type ConversationState,
  type ConversationStateTracker,
  createConversationStateTracker,
} from "./conversation-state.ts";
import {
  beginChatSession,
  type ConversationStartOptions,
  conversationToResume,
  listConversations,
  readChatSession,
} from "./sessions.ts";

/** A user's conversation about a content item: start, resume, send and stop. */
export type ConversationClient = ConversationPager & {
  /** Loads the named or newest conversation and follows its pending generation. */
  open(): Promise<void>;
  /**
   * Sends a message, starting the conversation if needed. A choice names the message that it `answers`. Returns
   * whether it was answered.
   */
  say(content: string, answers?: number): Promise<boolean>;
  stop(): Promise<void>;
  /** Unsubscribes. The service completes the answer. */
  leave(): void;
};

/**
 * The conversation to open: an existing one (loading back to `message`), a new one, or by default the newest.
 * A new one may be an aside or try a prompt version.
 */
export type ConversationToOpen = {
  id?: number | undefined;
  message?: number | undefined;
  isNew?: boolean;
} & ConversationStartOptions;

export function createConversationClient(
  client: PlatformClient,
  contentItemId: number,
  show: (state: ConversationState) => void,
  { id: known, message, isNew = false, ...beginning }: ConversationToOpen = {},
): ConversationClient {
  const shown = createConversationStateTracker(show);
  const { now, change, signal, leave } = shown;
  const reader = createConversationPager(client, shown);
  const receive = (events: AsyncIterable<TutorEvent>) => receiveAnswer(shown, events, reader.look);

  async function newest(): Promise<number | undefined> {
    if (isNew || beginning.beside !== undefined) return undefined;
    return conversationToResume(await listConversations(client, contentItemId, signal))?.id;
  }

  return {
    ...reader,
    leave,
    async open() {
      const id = known ?? (await newest());
      if (id === undefined) return change({});
      const session = await readChatSession(client, id, signal);
      change({ session });
      if (message !== undefined) await reader.backTo(message);
      if (!session.answering) return;
      change({ ...now(), received: "" });
      await receive(resumeAnswerStream(client, id, signal));
    },
    async say(content, answersMessageId) {
      if (now().received !== undefined) return false;
      const { session: before } = now();
      change({ ...(before && { session: before }), said: content, received: "" });
      const begin = () => beginChatSession(client, contentItemId, signal, beginning);
      const session = before ?? (await begin().catch((fault) => change({ fault })));
      if (!session) return false;
      change({ session, said: content, received: "" });
      return receive(askTutor(client, { sessionId: session.id, content, answersMessageId, signal }));
    },
    async stop() {
      const { session } = now();
      if (session) await dataOf(client.stopChatAnswer({ params: { path: { session_id: session.id } } }));
    },
  };
}

/** Shows an answer as it streams, then the stored one. Returns whether it completed. */
async function receiveAnswer(
  { now, change, signal }: ConversationStateTracker,
  events: AsyncIterable<TutorEvent>,
  look: () => Promise<void>,
): Promise<boolean> {
  try {
    for await (const received of accumulateAnswerText(events)) {
      if (signal.aborted) return true;
      change({ ...now(), received });
    }
    await look();
    return true;
  } catch (fault) {
    if (signal.aborted) return false;
    await look().catch(() => undefined);
    const { session } = now();
    // Remove the partial answer.
    change({ ...(session && { session }), fault });
    return false;
  }
}
