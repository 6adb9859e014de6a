import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";
import { t } from "../texts.ts";

const edited = new Set<HTMLFormElement>();

const ask = (event: BeforeUnloadEvent) => event.preventDefault();

function note(form: HTMLFormElement, isEdited: boolean): void {
  if (isEdited) edited.add(form);
  else edited.delete(form);
  // A `beforeunload` listener keeps the page out of the back/forward cache, so it is added only while needed.
  if (edited.size > 0) addEventListener("beforeunload", ask);
  else removeEventListener("beforeunload", ask);
}

/** Marks a form as edited or saved until it unmounts. */
export function useMarkFormEdited(form: RefObject<HTMLFormElement | null>): (isEdited: boolean) => void {
  useEffect(() => {
    const shown = form.current;
    return () => void (shown && note(shown, false));
  }, [form]);
  return (isEdited) => void (form.current && note(form.current, isEdited));
}

/** Whether the user may leave the page or a part of it. Asks if edits would be lost. */
export const confirmLosingUnsavedEdits = (part: Element | null = document.body): boolean =>
  ![...edited].some((form) => part?.contains(form)) || confirm(t("unsaved.leave"));

/** Discards edits, for example of a deleted entity. */
export function forgetUnsavedEdits(): void {
  for (const form of edited) note(form, false);
}
