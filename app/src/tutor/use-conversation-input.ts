import { choiceOf, type TutorQuestion } from "learning-platform-client";
import { useState } from "preact/hooks";
import { useAside } from "./aside.ts";
import type { ConversationClient } from "./conversation.ts";
import type { ConversationState } from "./conversation-state.ts";
import { notifyOtherTabsOfMessage } from "./other-tabs.ts";
import { sharedPathStateOfSession } from "./path-state.ts";
import { escapeMoveLikeText, openingLearnerMessage } from "./steps.ts";
import { matchTypedOption } from "./typed-choice.ts";

/** Typed text that resembles an option of the question. */
type Typed = { words: string; asked: TutorQuestion; option: TutorQuestion["options"][number] };

/** Sends the user's input to the conversation or to an aside. */
export function useConversationInput(
  contentItemId: number,
  { session, received }: ConversationState,
  conversation: ConversationClient,
) {
  const [lastSaid, setLastSaid] = useState<{ content: string; answers?: number | undefined }>({
    content: openingLearnerMessage,
  });
  const [typed, setTyped] = useState<Typed>();
  const aside = useAside(contentItemId, session);
  const last = received === undefined ? session?.messages.at(-1) : undefined;
  const asked = last?.question;
  const say = (content: string, answers?: number) => {
    setTyped(undefined);
    setLastSaid({ content, answers });
    // Later free text belongs to another message, so it starts a new aside.
    aside.fold();
    const answered = conversation.say(content, answers);
    if (session) answered.finally(() => notifyOtherTabsOfMessage(session.id));
    return answered;
  };
  const choose = (answer: string) => asked && say(choiceOf(asked, answer), last?.id);
  const sayInOwnWords = (words: string) => {
    setTyped(undefined);
    const isOffered = last?.moves.includes(words) && sharedPathStateOfSession(session) !== "path";
    const own = isOffered ? words : escapeMoveLikeText(words);
    return sharedPathStateOfSession(session) === "path" ? aside.say(own) : say(own);
  };
  const sayTyped = (words: string) => {
    const option = matchTypedOption(asked, words);
    if (asked && option) setTyped({ words, asked, option });
    else sayInOwnWords(words);
  };
  return {
    aside,
    asked,
    moves: last?.moves ?? [],
    typed,
    say,
    choose,
    sayInOwnWords,
    sayTyped,
    sayAgain: () => say(lastSaid.content, lastSaid.answers),
  };
}

export type ConversationInputState = ReturnType<typeof useConversationInput>;
