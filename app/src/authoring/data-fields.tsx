import { CheckboxField, Field } from "../components/field.tsx";
import { type TextKey, t } from "../texts.ts";
import { type ContentData, valueAtPath, withValueAtPath } from "./at-path.ts";
import { type FieldControlKind, renderFieldControl } from "./data-control.tsx";

/** A content field: path, label and control. */
export type ContentDataFieldDefinition = {
  path: string;
  label: TextKey;
  about?: TextKey;
  /** `check` is on for `true`. `check unless false` is on for everything but `false`. */
  as: FieldControlKind | "check" | "check unless false";
};

type DataFieldsProps = {
  fields: readonly ContentDataFieldDefinition[];
  /** The path of `data` in the request, used to place validation errors. */
  within: string;
  data: ContentData;
  onChange: (data: ContentData) => void;
};

/** Fields of a content item. Empty fields are omitted. */
export const ContentDataFields = ({ fields, within, data, onChange }: DataFieldsProps) => (
  <>
    {fields.map((field) => (
      <DataFieldView
        key={field.path}
        field={field}
        name={`${within}.${field.path}`}
        value={valueAtPath(data, field.path)}
        onChange={(value) => onChange(withValueAtPath(data, field.path, value))}
      />
    ))}
  </>
);

type ViewProps = {
  field: ContentDataFieldDefinition;
  name: string;
  value: unknown;
  onChange: (value: unknown) => void;
};

function DataFieldView({ field: { label, about, as }, name, value, onChange }: ViewProps) {
  const told = { name, label: t(label), about: about && t(about) };
  if (as === "check" || as === "check unless false")
    return (
      <CheckboxField {...told}>
        <input
          type="checkbox"
          checked={as === "check" ? value === true : value !== false}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      </CheckboxField>
    );
  return <Field {...told}>{renderFieldControl(as, value, onChange)}</Field>;
}
