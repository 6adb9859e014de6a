import type { RefObject } from "preact";
import { useEffect, useLayoutEffect } from "preact/hooks";
import { fragmentParameter } from "../routes.ts";

/** The scroll position and last item, stored in the history entry. */
type Place = { scrolled?: number; item?: number };

const placeHere = (): Place => history.state ?? {};

const keep = (place: Place): void => history.replaceState({ ...history.state, ...place }, "");

/** Delay after the last scroll event: browsers limit history writes. */
const restMs = 150;

/** The item that the user came from: by the back link's parameter, or the link followed from here. */
export function previousTopicId(): number | undefined {
  const given = Number(fragmentParameter(location.hash, "from"));
  return given > 0 ? given : placeHere().item;
}

/**
 * Restores the scroll position and focuses the last item (`data-item`), unless the user `isHere` already.
 * Then tracks the position.
 */
export function useRestoredScroll(
  list: RefObject<HTMLElement | null>,
  onLeave?: () => void,
  isHere = false,
): void {
  useLayoutEffect(() => {
    if (isHere) return;
    const before = previousTopicId();
    const link = list.current?.querySelector<HTMLElement>(`[data-item="${before}"] a`);
    const { scrolled } = placeHere();
    link?.focus({ preventScroll: true });
    if (scrolled !== undefined) scrollTo(0, scrolled);
    else link?.scrollIntoView({ block: "center" });
  }, []);
  useEffect(() => {
    const here = location.hash;
    let rest: ReturnType<typeof setTimeout>;
    const listener = () => {
      clearTimeout(rest);
      rest = setTimeout(() => location.hash === here && keep({ scrolled: scrollY }), restMs);
    };
    addEventListener("scroll", listener, { passive: true });
    return () => {
      clearTimeout(rest);
      removeEventListener("scroll", listener);
    };
  }, []);
  useEffect(() => {
    const leave = (event: Event) => {
      const line = (event.target as Element).closest("a")?.closest("[data-item]");
      const item = line?.getAttribute("data-item") ?? undefined;
      if (item === undefined) return;
      keep({ scrolled: scrollY, item: Number(item) });
      onLeave?.();
    };
    const { current } = list;
    current?.addEventListener("click", leave);
    return () => current?.removeEventListener("click", leave);
  }, [onLeave]);
}
