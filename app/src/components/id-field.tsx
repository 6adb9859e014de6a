import { t } from "../texts.ts";
import { SelectField } from "./field.tsx";

type IdFieldProps = {
  name: string;
  label: string;
  of: readonly (readonly [number, string])[];
  chosen: number | null | undefined;
  none?: string;
  required?: boolean;
  /** For state outside of the form. */
  onChoose?: (id: number | undefined) => void;
};

/** Selects an entry by id, or none. Keeps the chosen entry if the list does not include it. */
export function SelectByIdField({
  name,
  label,
  of,
  chosen,
  none = t("none"),
  required = false,
  onChoose,
}: IdFieldProps) {
  const isListed = !chosen || of.some(([id]) => id === chosen);
  const kept: [number, string][] = isListed ? [] : [[chosen, `#${chosen}`]];
  return (
    <SelectField
      name={name}
      label={label}
      of={[["", none], ...kept, ...of]}
      chosen={chosen ?? ""}
      required={required}
      onChoose={(id) => onChoose?.(Number(id) || undefined)}
    />
  );
}

export const toNameOption = ({ id, name }: { id: number; name: string }): [number, string] => [id, name];
export const toTitleOption = ({ id, title }: { id: number; title: string }): [number, string] => [id, title];
