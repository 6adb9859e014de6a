import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useMemo, useRef } from "preact/hooks";
import { t } from "../texts.ts";
import { type Place, placeIn } from "./place-address.ts";

/** The place that the address names; another object for each address that people come to. */
const PlaceContext = createContext<Place>({});

export const usePlace = (): Place => useContext(PlaceContext);

/** Around what an address may name a place of. */
export function PlaceProvider({ children }: { children: ComponentChildren }) {
  const { hash } = location;
  const place = useMemo(() => placeIn(hash), [hash]);
  useEffect(() => {
    document.addEventListener("click", showPlaceAgain);
    return () => document.removeEventListener("click", showPlaceAgain);
  }, []);
  return <PlaceContext.Provider value={place}>{children}</PlaceContext.Provider>;
}

/** What an element is given where it is the place: it comes in sight and takes the focus, so that one reads on from there. */
export function useCited<Kind extends HTMLElement>(isCited: boolean) {
  const ref = useRef<Kind>(null);
  const place = usePlace();
  useEffect(() => {
    if (isCited) show(ref.current);
  }, [isCited, place]);
  return { ref, ...(isCited && { tabIndex: -1, "aria-current": true as const, "data-cited": true }) };
}

/** The same around something that is no element of its own. */
export function Cited({ children }: { children: ComponentChildren }) {
  const cited = useCited<HTMLElement>(true);
  return (
    <section {...cited} aria-label={t("source.place")}>
      {children}
    </section>
  );
}

/** A link to the place that is shown shows it again: an address that is there already is not come to anew. */
function showPlaceAgain({ target }: MouseEvent): void {
  const link = target instanceof Element && target.closest("a[href]");
  if (link && link.getAttribute("href") === location.hash)
    show(document.querySelector<HTMLElement>("[data-cited]"));
}

function show(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: "center" });
  element?.focus({ preventScroll: true });
}
