import type { ComponentChildren } from "preact";
import styles from "../../styles/later/tutor.css";
import { adoptStyles } from "../adopt-styles.ts";
import { ButtonWithFocusFallback } from "../components/button.tsx";
import { t } from "../texts.ts";
import type { ShownMessage } from "./answer.tsx";
import { useAnswerFocus } from "./answer-focus.ts";
import { DownIcon } from "./icons.tsx";
import { useLinkedMessageFocus } from "./linked-message-focus.ts";
import { useAutoScroll } from "./use-auto-scroll.ts";

adoptStyles(styles);

type StreamProps = {
  label: string;
  opensAt: "top" | "answer" | "found";
  /** The message that was just sent. */
  sent?: string | undefined;
  isReceiving: boolean;
  last: ShownMessage | undefined;
  /** Whether the linked message is loaded. */
  isFound?: boolean;
  children: ComponentChildren;
};

/** The scrolling part of a conversation. Screen readers announce a streamed answer once, when it is complete. */
export function ConversationScrollArea({
  label,
  opensAt,
  sent,
  isReceiving,
  last,
  isFound = false,
  children,
}: StreamProps) {
  const { list, content, onScroll, onFocusIn, hasMore, settle, toEnd } = useAutoScroll({
    opensAt,
    sent,
    isReceiving,
    replayed: last?.meta.source === "cache" ? last.id : undefined,
  });
  useAnswerFocus(list, isReceiving, last?.role === "assistant");
  useLinkedMessageFocus(list, isFound, settle);
  return (
    <div class="conversation">
      <div
        class="messages"
        ref={list}
        onScroll={onScroll}
        onFocusIn={onFocusIn}
        role="log"
        aria-busy={isReceiving}
        tabIndex={0}
        aria-label={label}
      >
        <div class="turns" ref={content}>
          {children}
        </div>
      </div>
      {hasMore && (
        <ButtonWithFocusFallback
          class="icon-button to-end"
          aria-label={t("tutor.to.end")}
          title={t("tutor.to.end")}
          onClick={() => {
            toEnd();
            // The button disappears.
            list.current?.focus({ preventScroll: true });
          }}
        >
          <DownIcon />
        </ButtonWithFocusFallback>
      )}
    </div>
  );
}
