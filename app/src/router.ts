import { useEffect, useState } from "preact/hooks";
import { confirmLosingUnsavedEdits, forgetUnsavedEdits } from "./components/unsaved.ts";
import { screenHref } from "./routes.ts";

let movesFocus = false;

/** Whether the new screen takes the focus: true after navigation, false after a page load. */
export function consumePendingFocusMove(): boolean {
  const moves = movesFocus;
  movesFocus = false;
  return moves;
}

export function requestFocusOnNextHeading(): void {
  movesFocus = true;
}

/** The entry's position in this tab's history. Assigns `next` to a new entry. */
function positionInHistory(next: number): number {
  const known: unknown = history.state?.position;
  if (typeof known === "number") return known;
  history.replaceState({ ...history.state, position: next }, "");
  return next;
}

/** The address's fragment. Navigation with unsaved edits asks first. */
export function useGuardedUrlFragment(): string {
  const [fragment, setFragment] = useState(location.hash);
  useEffect(() => {
    let shown = { fragment: location.hash, position: positionInHistory(0) };
    const listener = () => {
      // The user stayed, so this screen is already shown.
      if (location.hash === shown.fragment) return;
      const position = positionInHistory(shown.position + 1);
      if (!confirmLosingUnsavedEdits()) return history.go(shown.position - position);
      shown = { fragment: location.hash, position };
      requestFocusOnNextHeading();
      scrollTo(0, 0);
      setFragment(location.hash);
    };
    addEventListener("hashchange", listener);
    return () => removeEventListener("hashchange", listener);
  }, []);
  return fragment;
}

/** Leaves the screen of a deleted entity without asking about unsaved edits. */
export function navigateAwayFromDeleted(...route: (string | number)[]): void {
  forgetUnsavedEdits();
  location.hash = screenHref(...route);
}
