import { CheckField, Field } from "../components/field.tsx";
import { type Text, t } from "../texts.ts";
import { type Data, valueAt, withValueAt } from "./at-path.ts";
import { controlOf, type FieldControl } from "./data-control.tsx";

/** A content field: path, label and control. */
export type DataField = {
  path: string;
  label: Text;
  about?: Text;
  /** `check` is on for `true`. `check unless false` is on for everything but `false`. */
  as: FieldControl | "check" | "check unless false";
};

type DataFieldsProps = {
  fields: readonly DataField[];
  /** The path of `data` in the request, used to place validation errors. */
  within: string;
  data: Data;
  onChange: (data: Data) => void;
};

/** Fields of a content item. Empty fields are omitted. */
export const DataFields = ({ fields, within, data, onChange }: DataFieldsProps) => (
  <>
    {fields.map((field) => (
      <DataFieldView
        key={field.path}
        field={field}
        name={`${within}.${field.path}`}
        value={valueAt(data, field.path)}
        onChange={(value) => onChange(withValueAt(data, field.path, value))}
      />
    ))}
  </>
);

type ViewProps = { field: DataField; name: string; value: unknown; onChange: (value: unknown) => void };

function DataFieldView({ field: { label, about, as }, name, value, onChange }: ViewProps) {
  const told = { name, label: t(label), about: about && t(about) };
  if (as === "check" || as === "check unless false")
    return (
      <CheckField {...told}>
        <input
          type="checkbox"
          checked={as === "check" ? value === true : value !== false}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      </CheckField>
    );
  return <Field {...told}>{controlOf(as, value, onChange)}</Field>;
}
