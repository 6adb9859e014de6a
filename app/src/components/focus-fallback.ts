import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

const focusable = "a[href], button:not(:disabled), summary, input, select, textarea, [tabindex='0']";

/**
 * For an element that may disappear while focused. The focus moves to a sibling, the line that takes its
 * place in the list, or the heading.
 */
export function useFocusFallback<Kind extends HTMLElement>(): RefObject<Kind | null> {
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
  const near: (() => Element | null | undefined)[] = [];
  for (let around = element.parentElement; around && around.id !== "main"; around = around.parentElement) {
    const [here, list] = [around, around.parentElement];
    near.push(() => here);
    if (here.localName !== "li" || !list) continue;
    const at = [...list.children].indexOf(here);
    near.push(
      () => list.children[at],
      () => list.children[at - 1],
    );
  }
  // After the next render.
  queueMicrotask(() => {
    if (document.activeElement && document.activeElement !== document.body) return;
    const next = near
      .map((find) => find())
      .map((one) => (one?.isConnected ? one.querySelector<HTMLElement>(focusable) : null))
      .find((one) => one !== null);
    if (next) next.focus();
    else document.querySelector("h1")?.focus({ preventScroll: true });
  });
}
