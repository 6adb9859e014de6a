import { useEffect, useState } from "preact/hooks";

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

export function useFragment(): string {
  const [fragment, setFragment] = useState(location.hash);
  useEffect(() => {
    const listener = () => {
      moveFocusToNextHeading();
      scrollTo(0, 0);
      setFragment(location.hash);
    };
    addEventListener("hashchange", listener);
    return () => removeEventListener("hashchange", listener);
  }, []);
  return fragment;
}
