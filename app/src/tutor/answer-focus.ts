import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

/**
 * If the focused element disappears, focuses the conversation when an answer starts, and the answer when it
 * ends. Focus elsewhere is left alone.
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
