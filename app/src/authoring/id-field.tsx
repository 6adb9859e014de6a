import { Field, Options, typedIn } from "../parts/field.tsx";
import { t } from "../texts.ts";

type IdFieldProps = {
  name: string;
  label: string;
  /** What can be chosen, by its id. */
  of: readonly (readonly [number, string])[];
  chosen: number | null | undefined;
  /** What choosing none of them is called. */
  none?: string;
  /** For what is kept outside of the form. */
  onChoose?: (id: number | undefined) => void;
};

/** One of a list by its id, or none. */
export const IdField = ({ name, label, of, chosen, none = t("none"), onChoose }: IdFieldProps) => (
  <Field name={name} label={label}>
    <select onChange={(event) => onChoose?.(Number(typedIn(event)) || undefined)}>
      <Options of={[["", none], ...of]} chosen={chosen ?? ""} />
    </select>
  </Field>
);

export const named = ({ id, name }: { id: number; name: string }): [number, string] => [id, name];
export const titled = ({ id, title }: { id: number; title: string }): [number, string] => [id, title];
