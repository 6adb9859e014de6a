import { useEffect, useState } from "preact/hooks";
import { giveUpUnsaved, mayLeave } from "./components/unsaved.ts";
import { to } from "./routes.ts";

let movesFocus = false;

/** Whether the screen that appears should take the focus: people came to it from another, not by loading the page. */
export function takesFocus(): boolean {
  const moves = movesFocus;
  movesFocus = false;
  return moves;
}

/** The heading that appears next takes the focus. */
export function moveFocusToNextHeading(): void {
  movesFocus = true;
}

/** Where the address stands in the history of this tab; an entry that has no number yet is given `next`. */
function positionInHistory(next: number): number {
  const known: unknown = history.state?.position;
  if (typeof known === "number") return known;
  history.replaceState({ ...history.state, position: next }, "");
  return next;
}

/** The fragment of the address. Whoever would lose something by going elsewhere is asked, and may stay. */
export function useFragment(): string {
  const [fragment, setFragment] = useState(location.hash);
  useEffect(() => {
    let shown = { fragment: location.hash, position: positionInHistory(0) };
    const listener = () => {
      // Whoever has stayed comes back to what is shown already.
      if (location.hash === shown.fragment) return;
      const position = positionInHistory(shown.position + 1);
      if (!mayLeave()) return history.go(shown.position - position);
      shown = { fragment: location.hash, position };
      moveFocusToNextHeading();
      scrollTo(0, 0);
      setFragment(location.hash);
    };
    addEventListener("hashchange", listener);
    return () => removeEventListener("hashchange", listener);
  }, []);
  return fragment;
}

/** Goes from what was just deleted to another screen; what was written of it is gone too, and nobody is asked. */
export function leaveDeleted(...route: (string | number)[]): void {
  giveUpUnsaved();
  location.hash = to(...route);
}
