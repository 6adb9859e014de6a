import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";
import { t } from "../texts.ts";

/** The forms in the page that were edited and not sent since. */
const edited = new Set<HTMLFormElement>();

const ask = (event: BeforeUnloadEvent) => event.preventDefault();

function note(form: HTMLFormElement, isEdited: boolean): void {
  if (isEdited) edited.add(form);
  else edited.delete(form);
  // Browsers keep no page for the way back that listens for its end.
  if (edited.size > 0) addEventListener("beforeunload", ask);
  else removeEventListener("beforeunload", ask);
}

/** Notes for a form, for as long as it is there, whether something in it would be lost. */
export function useUnsaved(form: RefObject<HTMLFormElement | null>): (isEdited: boolean) => void {
  useEffect(() => {
    const shown = form.current;
    return () => void (shown && note(shown, false));
  }, [form]);
  return (isEdited) => void (form.current && note(form.current, isEdited));
}

/** Whether people may leave what they see, or that part of it: where something there would be lost, they are asked. */
export const mayLeave = (part: Element | null = document.body): boolean =>
  ![...edited].some((form) => part?.contains(form)) || confirm(t("unsaved.leave"));

/** What was written is no longer wanted, such as what was written about a thing that was deleted. */
export function giveUpUnsaved(): void {
  for (const form of edited) note(form, false);
}
