import { t } from "../texts.ts";
import { Field, Options, typedIn } from "./field.tsx";

type IdFieldProps = {
  name: string;
  label: string;
  /** What can be chosen, by its id. */
  of: readonly (readonly [number, string])[];
  chosen: number | null | undefined;
  /** What choosing none of them is called. */
  none?: string;
  /** Whether one of them has to be chosen. */
  required?: boolean;
  /** For what is kept outside of the form. */
  onChoose?: (id: number | undefined) => void;
};

/** One of a list by its id, or none. */
export const IdField = ({
  name,
  label,
  of,
  chosen,
  none = t("none"),
  required = false,
  onChoose,
}: IdFieldProps) => (
  <Field name={name} label={label}>
    <select required={required} onChange={(event) => onChoose?.(Number(typedIn(event)) || undefined)}>
      <Options of={[["", none], ...of]} chosen={chosen ?? ""} />
    </select>
  </Field>
);

export const named = ({ id, name }: { id: number; name: string }): [number, string] => [id, name];
export const titled = ({ id, title }: { id: number; title: string }): [number, string] => [id, title];
