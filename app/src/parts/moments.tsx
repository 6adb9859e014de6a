import { Field } from "./field.tsx";
import { typed } from "./form.tsx";

type MomentFieldProps = { name: string; label: string; value?: string | null | undefined };

/** A moment in the time zone of whoever writes; an empty field stands for none. */
export const MomentField = ({ name, label, value }: MomentFieldProps) => (
  <Field name={name} label={label}>
    <input type="datetime-local" defaultValue={localOf(value)} />
  </Field>
);

/** The moment that was typed, for the service; what nobody changed stays to the second. */
export function momentOf(fields: FormData, name: string, before?: string | null): string | null {
  const text = typed(fields, name);
  if (before && text === localOf(before)) return before;
  return text ? new Date(text).toISOString() : null;
}

/** `2026-03-01T09:30` where people are. */
function localOf(instant: string | null | undefined): string {
  if (!instant) return "";
  const moment = new Date(instant);
  moment.setMinutes(moment.getMinutes() - moment.getTimezoneOffset());
  return moment.toISOString().slice(0, 16);
}
