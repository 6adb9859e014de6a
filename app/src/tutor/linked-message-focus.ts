import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";

/** Focuses the linked message and scrolls to it when it appears. `settle` scrolls the list. */
export function useLinkedMessageFocus(
  list: RefObject<HTMLElement | null>,
  isThere: boolean,
  settle: () => void,
): void {
  useEffect(() => {
    const message = isThere ? list.current?.querySelector<HTMLElement>("[data-cited]") : undefined;
    if (!message) return;
    settle();
    message.focus({ preventScroll: true });
    // The list itself may be below the viewport.
    message.scrollIntoView({ block: "nearest" });
  }, [isThere]);
}

/** Attributes of the linked message. */
export const linkedMessageProps = (isFound: boolean) =>
  isFound ? ({ tabIndex: -1, "aria-current": true, "data-cited": true } as const) : {};
