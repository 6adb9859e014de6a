import { Field } from "./field.tsx";
import { typed } from "./form.tsx";
import { localTime } from "./local-time.ts";

type MomentFieldProps = {
  name: string;
  label: string;
  value?: string | null | undefined;
  required?: boolean;
};

/** A moment in the time zone of whoever writes; an empty field stands for none. */
export const MomentField = ({ name, label, value, required = false }: MomentFieldProps) => (
  <Field name={name} label={label}>
    <input type="datetime-local" defaultValue={localTime(value)} required={required} />
  </Field>
);

/** The moment that was typed, for the service; what nobody changed stays to the second. */
export function momentOf(fields: FormData, name: string, before?: string | null): string | null {
  const text = typed(fields, name);
  if (before && text === localTime(before)) return before;
  return text ? new Date(text).toISOString() : null;
}
