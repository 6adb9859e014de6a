import { t } from "../texts.ts";
import { SelectField } from "./field.tsx";

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

/** One of a list by its id, or none. What is chosen can be kept where the list ends before it. */
export function IdField({
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

export const named = ({ id, name }: { id: number; name: string }): [number, string] => [id, name];
export const titled = ({ id, title }: { id: number; title: string }): [number, string] => [id, title];
