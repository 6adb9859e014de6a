import { t } from "../texts.ts";
import { ConversationMessages, type ConversationMessagesProps } from "./conversation-messages.tsx";
import { ConversationScrollArea } from "./conversation-scroll-area.tsx";

type MessagesProps = Pick<ConversationMessagesProps, "state"> & {
  label?: string;
  /** The conversation starts at the top. */
  isWhole?: boolean;
};

/** A read-only conversation. */
export function ReadOnlyConversation({ state, label, isWhole = false }: MessagesProps) {
  return (
    <ConversationScrollArea
      label={label ?? t("tutor.log")}
      opensAt={isWhole ? "top" : "answer"}
      isReceiving={state.received !== undefined}
      last={state.session?.messages.at(-1)}
    >
      <ConversationMessages state={state} />
    </ConversationScrollArea>
  );
}
