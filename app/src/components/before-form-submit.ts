import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

const deeds = new WeakMap<HTMLFormElement, Set<() => Promise<unknown>>>();

/** Registers work that must end before the form is sent, such as uploads. Errors appear in the form. */
export function useWorkBeforeFormSubmit(part: RefObject<Element | null>, deed: () => Promise<unknown>): void {
  const latest = useRef(deed);
  latest.current = deed;
  useEffect(() => {
    const form = part.current?.closest("form");
    if (!form) return;
    const ofForm = deeds.get(form) ?? new Set();
    deeds.set(form, ofForm);
    const run = () => latest.current();
    ofForm.add(run);
    return () => void ofForm.delete(run);
  }, []);
}

/** Waits for all of it, and for the render that follows. */
export async function waitForWorkBeforeFormSubmit(form: HTMLFormElement): Promise<void> {
  const ofForm = [...(deeds.get(form) ?? [])];
  if (ofForm.length === 0) return;
  await Promise.all(ofForm.map((deed) => deed()));
  await new Promise((resolve) => setTimeout(resolve));
}
