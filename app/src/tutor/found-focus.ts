import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";

/**
 * Brings the focus and the sight to the message that a conversation was opened for, once it is there: one reads on from it.
 * `settle` scrolls the list to it.
 */
export function useFoundFocus(
  list: RefObject<HTMLElement | null>,
  isThere: boolean,
  settle: () => void,
): void {
  useEffect(() => {
    const message = isThere ? list.current?.querySelector<HTMLElement>("[data-cited]") : undefined;
    if (!message) return;
    settle();
    message.focus({ preventScroll: true });
    // The list itself may lie below the screen.
    message.scrollIntoView({ block: "nearest" });
  }, [isThere]);
}

/** What the message is given that a conversation was opened for. */
export const asFound = (isFound: boolean) =>
  isFound ? ({ tabIndex: -1, "aria-current": true, "data-cited": true } as const) : {};
