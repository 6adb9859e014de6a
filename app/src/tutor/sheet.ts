import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useMediaQueryMatches } from "../components/use-media.ts";
import { isEmbeddedInLms } from "../service.ts";

/** As in styles/later/tutor.css: below it the panel is a sheet over the page. */
const narrow = "(width <= 56rem)";

type Sheet = {
  panel: RefObject<HTMLElement | null>;
  opener: RefObject<HTMLButtonElement | null>;
  isNarrow: boolean;
  /** Whether the panel covers the page. */
  isShown: boolean;
  open(): void;
  close(): void;
};

/** The panel as a sheet of a narrow window. While it is shown, the page below it is inert. */
export function useSheetOnNarrowScreens(startsOpen: boolean): Sheet {
  const panel = useRef<HTMLElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const isNarrow = useMediaQueryMatches(narrow) && !isEmbeddedInLms;
  const [isOpen, setOpen] = useState(startsOpen);
  const isShown = isNarrow && isOpen;
  useLayoutEffect(() => {
    const { current } = panel;
    if (!isShown || !current) return;
    const below = new Set<HTMLElement>();
    const cover = () => {
      for (const element of elementsAround(current).filter(({ inert }) => !inert)) {
        element.inert = true;
        below.add(element);
      }
    };
    cover();
    // Parts of the page may load later.
    const observer = new MutationObserver(cover);
    for (let around = current.parentElement; around; around = around.parentElement)
      observer.observe(around, { childList: true });
    current.querySelector("h2")?.focus();
    const left = new AbortController();
    const leave = ({ key }: KeyboardEvent) =>
      key === "Escape" && !current.querySelector("dialog[open]") && setOpen(false);
    document.addEventListener("keydown", leave, { signal: left.signal });
    // A cited place may be below the sheet.
    const follow = ({ target }: Event) =>
      target instanceof Element && target.closest("a[href^='#']") && setOpen(false);
    current.addEventListener("click", follow, { signal: left.signal });
    return () => {
      left.abort();
      observer.disconnect();
      for (const element of below) element.inert = false;
      opener.current?.focus();
    };
  }, [isShown]);
  return { panel, opener, isNarrow, isShown, open: () => setOpen(true), close: () => setOpen(false) };
}

/** The siblings of an element and of all its ancestors. */
function elementsAround(element: HTMLElement): HTMLElement[] {
  const parent = element.parentElement;
  if (!parent || element === document.body) return [];
  const siblings = [...parent.children].filter(
    (one): one is HTMLElement => one instanceof HTMLElement && one !== element,
  );
  return [...siblings, ...elementsAround(parent)];
}
