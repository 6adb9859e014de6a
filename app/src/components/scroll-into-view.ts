import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** So much of the entry before the current one stays in sight, in pixels. */
const before = 64;

/** For a bar that scrolls where its entries do not fit: the one that is current is in sight, and the one that has the focus. */
export function useScrollIntoView<Kind extends HTMLElement>(current: string): RefObject<Kind | null> {
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
