import { Field } from "./field.tsx";
import { readTextField } from "./form.tsx";
import { toDatetimeLocal } from "./local-time.ts";

type MomentFieldProps = {
  name: string;
  label: string;
  value?: string | null | undefined;
  required?: boolean;
};

/** A date and time in the local time zone. Empty means none. */
export const DateTimeField = ({ name, label, value, required = false }: MomentFieldProps) => (
  <Field name={name} label={label}>
    <input type="datetime-local" defaultValue={toDatetimeLocal(value)} required={required} />
  </Field>
);

/** The typed moment as ISO text. An unchanged value keeps its seconds. */
export function readDateTimeField(fields: FormData, name: string, before?: string | null): string | null {
  const text = readTextField(fields, name);
  if (before && text === toDatetimeLocal(before)) return before;
  return text ? new Date(text).toISOString() : null;
}
