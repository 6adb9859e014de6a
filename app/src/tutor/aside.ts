import { isClosedAside } from "learning-platform-client";
import { useEffect, useRef, useState } from "preact/hooks";
import { api } from "../service.ts";
import { type Conversation, createConversation, type Which } from "./conversation.ts";
import type { ConversationState } from "./conversation-state.ts";
import { asideOf, listConversations, type Session } from "./sessions.ts";

/** Words beside a path: what was said there at this place, and what can be done. */
export type Aside = {
  /** Undefined where nothing was said at this place. */
  state: ConversationState | undefined;
  say(content: string): Promise<boolean>;
  look(): Promise<void>;
  stop(): Promise<void>;
  /** The path goes on: what is said from here on begins another aside. */
  fold(): void;
};

/** The aside of a conversation: taken up where it stands at this place still, else begun with the first words. */
export function useAside(contentItemId: number, session: Session | undefined): Aside {
  const [state, setState] = useState<ConversationState>();
  const open = useRef<{ conversation: Conversation; state: ConversationState } | undefined>(undefined);
  const id = session?.aside_of === null ? session.id : undefined;

  const take = (which: Which): Conversation => {
    open.current?.conversation.leave();
    const show = (next: ConversationState) => {
      if (open.current) open.current.state = next;
      setState(next);
    };
    const conversation = createConversation(api, contentItemId, show, which);
    open.current = { conversation, state: {} };
    return conversation;
  };
  const fold = () => {
    open.current?.conversation.leave();
    open.current = undefined;
    setState(undefined);
  };

  // One that was open here is looked for once, and it is no harm where it is not found.
  useEffect(() => {
    if (id === undefined || !session?.messages.length) return fold;
    const left = new AbortController();
    const find = async () => {
      const line = asideOf(await listConversations(api, contentItemId, left.signal), session);
      if (line && !left.signal.aborted && !open.current) await take({ id: line.id }).open();
    };
    find().catch(() => undefined);
    return () => {
      left.abort();
      fold();
    };
  }, [id]);

  const say = async (content: string): Promise<boolean> => {
    if (id === undefined) return false;
    const beside = { beside: id };
    const conversation = open.current?.conversation ?? take(beside);
    if (await conversation.say(content)) return true;
    // Another tab has begun another one meanwhile.
    return isClosedAside(open.current?.state.fault) ? take(beside).say(content) : false;
  };
  return {
    state,
    say,
    fold,
    look: async () => open.current?.conversation.look(),
    stop: async () => open.current?.conversation.stop(),
  };
}
