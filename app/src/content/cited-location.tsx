import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useMemo, useRef } from "preact/hooks";
import { t } from "../texts.ts";
import { parseSourceLocationFromFragment, type SourceLocation } from "./source-location.ts";

/** The place in the address. A new object for each navigation. */
const PlaceContext = createContext<SourceLocation>({});

export const useCitedLocation = (): SourceLocation => useContext(PlaceContext);

export function CitedLocationProvider({ children }: { children: ComponentChildren }) {
  const { hash } = location;
  const place = useMemo(() => parseSourceLocationFromFragment(hash), [hash]);
  useEffect(() => {
    document.addEventListener("click", showPlaceAgain);
    return () => document.removeEventListener("click", showPlaceAgain);
  }, []);
  return <PlaceContext.Provider value={place}>{children}</PlaceContext.Provider>;
}

/** A ref for the cited element: scrolls it into view and focuses it. */
export function useScrollToCitedProps<Kind extends HTMLElement>(isCited: boolean) {
  const ref = useRef<Kind>(null);
  const place = useCitedLocation();
  useEffect(() => {
    if (isCited) show(ref.current);
  }, [isCited, place]);
  return { ref, ...(isCited && { tabIndex: -1, "aria-current": true as const, "data-cited": true }) };
}

export function CitedScrollTarget({ children }: { children: ComponentChildren }) {
  const cited = useScrollToCitedProps<HTMLElement>(true);
  return (
    <section {...cited} aria-label={t("source.place")}>
      {children}
    </section>
  );
}

/** A link to the current address triggers no navigation, so show the place again. */
function showPlaceAgain({ target }: MouseEvent): void {
  const link = target instanceof Element && target.closest("a[href]");
  if (link && link.getAttribute("href") === location.hash)
    show(document.querySelector<HTMLElement>("[data-cited]"));
}

function show(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: "center" });
  element?.focus({ preventScroll: true });
}
