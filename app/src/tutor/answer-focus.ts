import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

/**
 * Brings the focus to the conversation when an answer begins, and to the answer when it has come to its end, where it was on
 * something that is not there any more, such as the option that was chosen. Whoever is elsewhere stays there.
 */
export function useAnswerFocus(
  list: RefObject<HTMLElement | null>,
  isReceiving: boolean,
  isAnswered: boolean,
): void {
  const wasReceiving = useRef(false);
  useEffect(() => {
    const { activeElement } = document;
    const isLost = activeElement === document.body || activeElement === list.current;
    if (isLost && isReceiving) list.current?.focus({ preventScroll: true });
    if (isLost && wasReceiving.current && isAnswered) {
      const answers = list.current?.querySelectorAll<HTMLElement>("article.answer") ?? [];
      [...answers].at(-1)?.focus({ preventScroll: true });
    }
    wasReceiving.current = isReceiving;
  }, [isReceiving]);
}
