import { Field } from "./field.tsx";
import { typed } from "./form.tsx";
import { localTime } from "./local-time.ts";

type MomentFieldProps = {
  name: string;
  label: string;
  value?: string | null | undefined;
  required?: boolean;
};

/** A date and time in the local time zone. Empty means none. */
export const MomentField = ({ name, label, value, required = false }: MomentFieldProps) => (
  <Field name={name} label={label}>
    <input type="datetime-local" defaultValue={localTime(value)} required={required} />
  </Field>
);

/** The typed moment as ISO text. An unchanged value keeps its seconds. */
export function momentOf(fields: FormData, name: string, before?: string | null): string | null {
  const text = typed(fields, name);
  if (before && text === localTime(before)) return before;
  return text ? new Date(text).toISOString() : null;
}
