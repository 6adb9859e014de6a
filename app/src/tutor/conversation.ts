import { askTutor, dataOf, type PlatformClient, type TutorEvent } from "learning-platform-client";
import { resumedAnswer, wordsSoFar } from "./answer-stream.ts";
import {
  beginSession,
  listConversations,
  newestOf,
  readOlder,
  readSession,
  type Session,
} from "./sessions.ts";

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

/** A conversation about a content item, as one person: begins, is taken up, goes on, and stops. */
export type Conversation = {
  /** The conversation, the newest one about the item unless another is named, and the answer in it that is being written. */
  open(): Promise<void>;
  /** Sends a message; the first one begins the conversation. Answers whether it was answered. */
  say(content: string): Promise<boolean>;
  stop(): Promise<void>;
  /** Reads again what the service knows of the conversation. */
  look(): Promise<void>;
  /** Reads the messages before those that are shown; answers whether there are more. */
  older(): Promise<boolean>;
  /** The conversation with all its messages. */
  whole(): Promise<Session | undefined>;
  /** Nobody listens any more. The service brings the answer to its end all the same. */
  leave(): void;
};

/** Which conversation it is: one that is there, a new one, or a new one beside another; else the newest one is taken up. */
export type Which = { id?: number | undefined; isNew?: boolean; beside?: number };

/** Tells `show` of every change. */
export function createConversation(
  client: PlatformClient,
  contentItemId: number,
  show: (state: ConversationState) => void,
  { id: known, isNew = false, beside }: Which = {},
): Conversation {
  const left = new AbortController();
  let now: ConversationState = {};
  const change = (next: ConversationState) => {
    now = next;
    if (!left.signal.aborted) show(now);
  };

  async function look(): Promise<void> {
    if (now.session) change({ session: withEarlier(await readSession(client, now.session.id, left.signal)) });
  }

  /** What was read back before stays where the newest messages are read again. */
  function withEarlier(session: Session): Session {
    const first = session.messages[0]?.id ?? 0;
    const earlier = (now.session?.messages ?? []).filter(({ id }) => id < first);
    if (earlier.length === 0) return session;
    return {
      ...session,
      messages: [...earlier, ...session.messages],
      has_more: now.session?.has_more ?? false,
    };
  }

  /** Shows an answer as it comes; what stays is what the service has stored. Answers whether it came to its end. */
  async function receive(events: AsyncIterable<TutorEvent>): Promise<boolean> {
    try {
      for await (const received of wordsSoFar(events)) {
        if (left.signal.aborted) return true;
        change({ ...now, received });
      }
      await look();
      return true;
    } catch (fault) {
      if (left.signal.aborted) return false;
      await look().catch(() => undefined);
      const { session } = now;
      // Nothing is left that seems to be written still.
      change({ ...(session && { session }), fault });
      return false;
    }
  }

  async function newest(): Promise<number | undefined> {
    if (isNew || beside !== undefined) return undefined;
    return newestOf(await listConversations(client, contentItemId, left.signal))?.id;
  }

  async function older(): Promise<boolean> {
    const { session } = now;
    if (!session?.has_more) return false;
    const page = await readOlder(client, session, left.signal);
    const messages = [...page.messages, ...session.messages];
    change({ ...now, session: { ...session, messages, has_more: page.has_more } });
    return page.has_more;
  }

  return {
    look,
    older,
    async whole() {
      while (await older());
      return now.session;
    },
    async open() {
      const id = known ?? (await newest());
      if (id === undefined) return change({});
      const session = await readSession(client, id, left.signal);
      change({ session });
      if (!session.answering) return;
      change({ session, received: "" });
      await receive(resumedAnswer(client, id, left.signal));
    },
    async say(content) {
      if (now.received !== undefined) return false;
      const { session: before } = now;
      change({ ...(before && { session: before }), said: content, received: "" });
      const begin = () => beginSession(client, contentItemId, left.signal, beside);
      const session = before ?? (await begin().catch((fault) => change({ fault })));
      if (!session) return false;
      change({ session, said: content, received: "" });
      return receive(askTutor(client, { sessionId: session.id, content, signal: left.signal }));
    },
    async stop() {
      if (now.session)
        await dataOf(client.stopChatAnswer({ params: { path: { session_id: now.session.id } } }));
    },
    leave: () => left.abort(),
  };
}
