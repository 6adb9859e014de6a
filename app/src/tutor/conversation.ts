import {
  askTutor,
  dataOf,
  type PlatformClient,
  PlatformError,
  readTutorEvents,
  type Schemas,
  type TutorEvent,
} from "learning-platform-client";
import { AnswerRefused } from "../refusals.ts";

type Session = Schemas["ChatSessionWithMessages"];

/** What is known of a conversation; while an answer is being told, what was said and what has been heard of it. */
export type Conversation = {
  session?: Session;
  /** Said just now, and not read back from the service yet. */
  said?: string;
  /** The answer as far as it was heard. */
  heard?: string;
  /** Why the last answer did not come to its end. */
  fault?: unknown;
};

/** A conversation about a content item, as one person: begins, is taken up, goes on, and stops. */
export type Talk = {
  /** The newest conversation about the item, and the answer in it that is being written. */
  open(): Promise<void>;
  /** Sends a message; the first one begins the conversation. Answers whether it was answered. */
  say(content: string): Promise<boolean>;
  stop(): Promise<void>;
  /** Reads again what the service knows of the conversation. */
  look(): Promise<void>;
  /** Nobody listens any more. The service brings the answer to its end all the same. */
  leave(): void;
};

/** Tells `show` of every change. A new conversation is begun where `isNew`, else the last one is taken up. */
export function talkAbout(
  client: PlatformClient,
  contentItemId: number,
  show: (conversation: Conversation) => void,
  isNew = false,
): Talk {
  const left = new AbortController();
  let now: Conversation = {};
  const change = (next: Conversation) => {
    now = next;
    if (!left.signal.aborted) show(now);
  };

  async function read(sessionId: number): Promise<Session> {
    const params = { path: { session_id: sessionId } };
    return dataOf(client.getChatSession({ params, signal: left.signal }));
  }

  async function look(): Promise<void> {
    if (now.session) change({ session: await read(now.session.id) });
  }

  async function find(): Promise<number | undefined> {
    const query = { limit: 1000 };
    const sessions = await dataOf(client.listChatSessions({ params: { query }, signal: left.signal }));
    return sessions.find(({ content_item_id }) => content_item_id === contentItemId)?.id;
  }

  async function begin(): Promise<Session> {
    const body = { content_item_id: contentItemId };
    const session = await dataOf(client.createChatSession({ body, signal: left.signal }));
    return { ...session, messages: [], has_more: false, answering: null };
  }

  /** Shows an answer as it is told; the end is what the service has stored. */
  async function hear(events: AsyncIterable<TutorEvent>): Promise<void> {
    for await (const event of events) {
      if (left.signal.aborted) return;
      if (event.done) {
        if ("error" in event) throw new AnswerRefused(event);
      } else change({ ...now, heard: "restart" in event ? "" : (now.heard ?? "") + event.content });
    }
    await look();
  }

  /** Whatever happens, nothing is left that seems to be written still. Answers whether the answer came to its end. */
  async function hearOut(events: AsyncIterable<TutorEvent>): Promise<boolean> {
    try {
      await hear(events);
      return true;
    } catch (fault) {
      if (left.signal.aborted) return false;
      await look().catch(() => undefined);
      const { session } = now;
      change({ ...(session && { session }), fault });
      return false;
    }
  }

  async function* resumed(session: Session): AsyncGenerator<TutorEvent> {
    const request = { params: { path: { session_id: session.id } }, parseAs: "stream" } as const;
    const { data, error, response } = await client.resumeChatStream({ ...request, signal: left.signal });
    // The answer came to its end in between: the session has it.
    if (response.status === 400) return;
    if (!data) throw new PlatformError(response, error);
    yield* readTutorEvents(data);
  }

  return {
    look,
    async open() {
      const id = isNew ? undefined : await find();
      if (id === undefined) return change({});
      const session = await read(id);
      change({ session });
      if (!session.answering) return;
      change({ session, heard: "" });
      await hearOut(resumed(session));
    },
    async say(content) {
      if (now.heard !== undefined) return false;
      const { session: before } = now;
      change({ ...(before && { session: before }), said: content, heard: "" });
      const session = before ?? (await begin().catch((fault) => change({ fault })));
      if (!session) return false;
      change({ session, said: content, heard: "" });
      return hearOut(askTutor(client, { sessionId: session.id, content, signal: left.signal }));
    },
    async stop() {
      if (now.session)
        await dataOf(client.stopChatAnswer({ params: { path: { session_id: now.session.id } } }));
    },
    leave: () => left.abort(),
  };
}
