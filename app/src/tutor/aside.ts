import { isClosedAside } from "learning-platform-client";
import { useEffect, useRef, useState } from "preact/hooks";
import { apiClient } from "../service.ts";
import {
  type ConversationClient,
  type ConversationToOpen,
  createConversationClient,
} from "./conversation.ts";
import type { ConversationState } from "./conversation-state.ts";
import { asideToResume, listConversations, type TutorChatSession } from "./sessions.ts";

/** Free-text conversation next to the path: its messages at this place, and actions. */
export type AsideStateAndActions = {
  /** Undefined if there are none at this place. */
  state: ConversationState | undefined;
  say(content: string, answers?: number): Promise<boolean>;
  look(): Promise<void>;
  stop(): Promise<void>;
  /** Ends the aside: the path continues, and later free text starts another. */
  fold(): void;
};

/** The aside of a conversation: resumed if it is still at this place, else started with the first message. */
export function useAside(contentItemId: number, session: TutorChatSession | undefined): AsideStateAndActions {
  const [state, setState] = useState<ConversationState>();
  const open = useRef<{ conversation: ConversationClient; state: ConversationState } | undefined>(undefined);
  const id = session?.aside_of === null ? session.id : undefined;

  const take = (which: ConversationToOpen): ConversationClient => {
    open.current?.conversation.leave();
    const show = (next: ConversationState) => {
      if (open.current) open.current.state = next;
      setState(next);
    };
    const conversation = createConversationClient(apiClient, contentItemId, show, which);
    open.current = { conversation, state: {} };
    return conversation;
  };
  const fold = () => {
    open.current?.conversation.leave();
    open.current = undefined;
    setState(undefined);
  };

  // Resumes an open aside, once. A failure has no effect.
  useEffect(() => {
    if (id === undefined || !session?.messages.length) return fold;
    const left = new AbortController();
    const find = async () => {
      const line = asideToResume(await listConversations(apiClient, contentItemId, left.signal), session);
      if (line && !left.signal.aborted && !open.current) await take({ id: line.id }).open();
    };
    find().catch(() => undefined);
    return () => {
      left.abort();
      fold();
    };
  }, [id]);

  const say = async (content: string, answers?: number): Promise<boolean> => {
    if (id === undefined) return false;
    const beside = { beside: id };
    const conversation = open.current?.conversation ?? take(beside);
    if (await conversation.say(content, answers)) return true;
    // Another tab has started another aside.
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
