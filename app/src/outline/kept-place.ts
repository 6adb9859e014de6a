import type { RefObject } from "preact";
import { useEffect, useLayoutEffect } from "preact/hooks";
import { parameterOf } from "../routes.ts";

/** Where one was in an outline or another list, kept with its entry in the history of the tab. */
type Place = { scrolled?: number; item?: number };

const placeHere = (): Place => history.state ?? {};

const keep = (place: Place): void => history.replaceState({ ...history.state, ...place }, "");

/** So long after the last move of the page its place is kept: browsers take no more than a few in a second. */
const restMs = 150;

/** The topic or other item that one comes from: by the address of the way back, or by the link that was followed from here before. */
export function topicBefore(): number | undefined {
  const given = Number(parameterOf(location.hash, "from"));
  return given > 0 ? given : placeHere().item;
}

/**
 * Goes to where one was in the list, with the focus on the item that one comes from, unless the list is drawn anew for one who
 * `isHere` already, and keeps that place while one reads. Lines say by `data-item` which item they are of.
 */
export function useKeptPlace(
  list: RefObject<HTMLElement | null>,
  onLeave?: () => void,
  isHere = false,
): void {
  useLayoutEffect(() => {
    if (isHere) return;
    const before = topicBefore();
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
