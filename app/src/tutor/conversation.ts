import { askTutor, dataOf, type PlatformClient, type TutorEvent } from "learning-platform-client";
import { resumedAnswer, wordsSoFar } from "./answer-stream.ts";
import { type ConversationReader, readerOf } from "./conversation-reader.ts";
import { type ConversationState, type ShownConversation, showConversation } from "./conversation-state.ts";
import { type Beginning, beginSession, listConversations, newestOf, readSession } from "./sessions.ts";

/** A conversation about a content item, as one person: begins, is taken up, goes on, and stops. */
export type Conversation = ConversationReader & {
  /** The conversation, the newest one about the item unless another is named, and the answer in it that is being written. */
  open(): Promise<void>;
  /** Sends a message; the first one begins the conversation. Answers whether it was answered. */
  say(content: string): Promise<boolean>;
  stop(): Promise<void>;
  /** Nobody listens any more. The service brings the answer to its end all the same. */
  leave(): void;
};

/**
 * Which conversation it is: one that is there, a new one, or a new one beside another or with a version of the prompt that is
 * tried; else the newest one is taken up. Of one that is there, `message` is read too, however old it is.
 */
export type Which = { id?: number | undefined; message?: number | undefined; isNew?: boolean } & Beginning;

/** Tells `show` of every change. */
export function createConversation(
  client: PlatformClient,
  contentItemId: number,
  show: (state: ConversationState) => void,
  { id: known, message, isNew = false, ...beginning }: Which = {},
): Conversation {
  const shown = showConversation(show);
  const { now, change, signal, leave } = shown;
  const reader = readerOf(client, shown);
  const receive = (events: AsyncIterable<TutorEvent>) => receiveAnswer(shown, events, reader.look);

  async function newest(): Promise<number | undefined> {
    if (isNew || beginning.beside !== undefined) return undefined;
    return newestOf(await listConversations(client, contentItemId, signal))?.id;
  }

  return {
    ...reader,
    leave,
    async open() {
      const id = known ?? (await newest());
      if (id === undefined) return change({});
      const session = await readSession(client, id, signal);
      change({ session });
      if (message !== undefined) await reader.backTo(message);
      if (!session.answering) return;
      change({ ...now(), received: "" });
      await receive(resumedAnswer(client, id, signal));
    },
    async say(content) {
      if (now().received !== undefined) return false;
      const { session: before } = now();
      change({ ...(before && { session: before }), said: content, received: "" });
      const begin = () => beginSession(client, contentItemId, signal, beginning);
      const session = before ?? (await begin().catch((fault) => change({ fault })));
      if (!session) return false;
      change({ session, said: content, received: "" });
      return receive(askTutor(client, { sessionId: session.id, content, signal }));
    },
    async stop() {
      const { session } = now();
      if (session) await dataOf(client.stopChatAnswer({ params: { path: { session_id: session.id } } }));
    },
  };
}

/** Shows an answer as it comes; what stays is what the service has stored. Answers whether it came to its end. */
async function receiveAnswer(
  { now, change, signal }: ShownConversation,
  events: AsyncIterable<TutorEvent>,
  look: () => Promise<void>,
): Promise<boolean> {
  try {
    for await (const received of wordsSoFar(events)) {
      if (signal.aborted) return true;
      change({ ...now(), received });
    }
    await look();
    return true;
  } catch (fault) {
    if (signal.aborted) return false;
    await look().catch(() => undefined);
    const { session } = now();
    // Nothing is left that seems to be written still.
    change({ ...(session && { session }), fault });
    return false;
  }
}
