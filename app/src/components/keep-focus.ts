import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

const focusable = "a[href], button:not(:disabled), summary, input, select, textarea";

/**
 * For an element that may vanish while it has the focus, such as the button that was pressed: the focus goes on to
 * what is left around it, or to the line of the list beside it, or else to the heading of the screen.
 */
export function useFocusHandedOn<Kind extends HTMLElement>(): RefObject<Kind | null> {
  const ref = useRef<Kind>(null);
  useLayoutEffect(() => {
    const element = ref.current;
    return () => {
      if (element && document.activeElement === element) handOn(element);
    };
  }, []);
  return ref;
}

function handOn(element: HTMLElement): void {
  const near: (Element | null)[] = [];
  for (let around = element.parentElement; around && around.id !== "main"; around = around.parentElement) {
    near.push(around);
    if (around.localName === "li") near.push(around.nextElementSibling, around.previousElementSibling);
  }
  // Once what was drawn anew stands there.
  queueMicrotask(() => {
    if (document.activeElement && document.activeElement !== document.body) return;
    const next = near
      .map((one) => (one?.isConnected ? one.querySelector<HTMLElement>(focusable) : null))
      .find((one) => one !== null);
    if (next) next.focus();
    else document.querySelector("h1")?.focus({ preventScroll: true });
  });
}
