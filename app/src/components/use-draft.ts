import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { draftStore } from "../service.ts";
import { useSession } from "../session.tsx";

type TextField = HTMLInputElement | HTMLTextAreaElement;

/** Drafts store text fields only, no passwords. */
const isText = (field: unknown): field is TextField =>
  (field instanceof HTMLTextAreaElement ||
    (field instanceof HTMLInputElement && ["text", "url", "search"].includes(field.type))) &&
  field.name !== "";

const textsOf = (form: HTMLFormElement): TextField[] => [...form.elements].filter(isText);

/** Edits of a part that keeps its text in another field of the form. */
const isKeptElsewhere = (part: EventTarget | null): boolean =>
  part instanceof Element && part.closest("[data-drafted]") !== null;

export type FormDraftActions = {
  /** When the restored draft was written. */
  restoredFrom: string | undefined;
  /** Saves a draft. Returns whether the field's text is in it. */
  keep(field: EventTarget | null): boolean;
  isKept(): boolean;
  remove(): void;
};

/** Keeps a draft of the form's texts per person and thing until it is sent, and restores it. */
export function useFormDraft(
  ref: RefObject<HTMLFormElement | null>,
  thing: string | undefined,
): FormDraftActions {
  const person = useSession().person.value?.profile.id;
  const [restoredFrom, setRestored] = useState<string>();
  const isRestoring = useRef(false);
  useEffect(() => {
    const form = ref.current;
    const draft = person !== undefined && thing && form ? draftStore.read(person, thing) : undefined;
    if (!form || !draft) return;
    isRestoring.current = true;
    const kept = draft.value as Record<string, string>;
    for (const field of textsOf(form)) {
      const text = kept[field.name];
      if (text === undefined || text === field.value) continue;
      field.value = text;
      field.dispatchEvent(new Event("input", { bubbles: true }));
      setRestored(draft.kept_at);
      const around = form.closest("details");
      if (around) around.open = true;
    }
    isRestoring.current = false;
  }, [person, thing]);
  return {
    restoredFrom,
    keep(field) {
      const form = ref.current;
      if (person === undefined || !thing || !form) return false;
      if (isRestoring.current) return isText(field);
      const changed = textsOf(form).filter(({ value, defaultValue }) => value !== defaultValue);
      if (changed.length === 0) draftStore.remove(person, thing);
      else {
        const texts = Object.fromEntries(changed.map(({ name, value }) => [name, value]));
        if (!draftStore.write(person, thing, texts)) return false;
      }
      return isText(field) || isKeptElsewhere(field);
    },
    isKept: () => person !== undefined && thing !== undefined && draftStore.read(person, thing) !== undefined,
    remove() {
      if (person !== undefined && thing) draftStore.remove(person, thing);
      setRestored(undefined);
    },
  };
}
