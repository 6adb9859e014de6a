import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** Pixels of the previous entry that stay visible. */
const before = 64;

/** Scrolls a bar to the current entry, and to the focused one. */
export function useScrollToCurrentEntry<Kind extends HTMLElement>(current: string): RefObject<Kind | null> {
  const bar = useRef<Kind>(null);
  useEffect(() => {
    const shown = bar.current?.querySelector<HTMLElement>("[aria-current]");
    if (bar.current && shown) bar.current.scrollLeft = shown.offsetLeft - bar.current.offsetLeft - before;
  }, [current]);
  useEffect(() => {
    const show = ({ target }: Event) =>
      (target as HTMLElement).scrollIntoView({ block: "nearest", inline: "nearest" });
    const here = bar.current;
    here?.addEventListener("focusin", show);
    return () => here?.removeEventListener("focusin", show);
  }, []);
  return bar;
}
