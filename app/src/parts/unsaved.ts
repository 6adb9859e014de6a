import { useEffect, useMemo } from "preact/hooks";
import { t } from "../texts.ts";

/** The forms in the page that were edited and not sent since. */
const edited = new Set<object>();

const ask = (event: BeforeUnloadEvent) => event.preventDefault();

function note(form: object, isEdited: boolean): void {
  if (isEdited) edited.add(form);
  else edited.delete(form);
  // Browsers keep no page for the way back that listens for its end.
  if (edited.size > 0) addEventListener("beforeunload", ask);
  else removeEventListener("beforeunload", ask);
}

/** Notes for a form, for as long as it is there, whether something in it would be lost. */
export function useUnsaved(): (isEdited: boolean) => void {
  const form = useMemo(() => ({}), []);
  useEffect(() => () => note(form, false), [form]);
  return (isEdited) => note(form, isEdited);
}

/** Whether people may leave what they see: where something in it would be lost, they are asked. */
export const mayLeave = (): boolean => edited.size === 0 || confirm(t("unsaved.leave"));

/** What was written is no longer wanted, such as what was written about a thing that was deleted. */
export function giveUpUnsaved(): void {
  for (const form of edited) note(form, false);
}
