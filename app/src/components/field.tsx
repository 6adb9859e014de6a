import { cloneElement, type VNode } from "preact";
import { useContext, useId, useState } from "preact/hooks";
import { IssueByFieldContext } from "./form.tsx";
import { NumberInput } from "./number-input.tsx";
import type { NumberBounds } from "./typed-number.ts";

type FieldProps = {
  /** The API's field name, so validation errors appear at this field. */
  name: string;
  label: string;
  about?: string | undefined;
  /** An `input`, `select` or `textarea`. */
  children: VNode<object>;
};

/** A labeled field with its validation error. */
export function Field({ name, label, about, children }: FieldProps) {
  const { id, control, fault, listeners } = useControl(name, children, about);
  return (
    <div {...listeners}>
      <label for={id}>
        {label}
        {control}
      </label>
      {fault}
    </div>
  );
}

/** The same for a checkbox. */
export function CheckboxField({ name, label, about, children }: FieldProps) {
  const { id, control, fault, listeners } = useControl(name, children, about);
  return (
    <div {...listeners}>
      <label class="check" for={id}>
        {control}
        {label}
      </label>
      {fault}
    </div>
  );
}

function useControl(name: string, children: VNode<object>, about: string | undefined) {
  const id = useId();
  const toldBy = `${id}-about`;
  const [own, setOwn] = useState("");
  const refused = useContext(IssueByFieldContext)[name];
  const refusal = own || refused;
  const look = ({ target }: Event) => {
    const { validity, validationMessage } = target as HTMLInputElement;
    setOwn(validity.customError ? validationMessage : "");
  };
  const listeners = {
    // Validate on blur: half-typed input is not an error yet.
    onFocusOut: look,
    onInvalidCapture: look,
    ...(own && { onInput: look }),
  };
  const told = {
    id,
    name,
    "data-field": true,
    "aria-invalid": refusal ? true : undefined,
    "aria-describedby": refusal || about ? toldBy : undefined,
  };
  const words = (refusal || about) && (
    <small id={toldBy} class={refusal ? "fault" : undefined} role={refusal ? "alert" : undefined}>
      {refusal ?? about}
    </small>
  );
  return { id, control: cloneElement(children, told), fault: words, listeners };
}

/** The current value of a control whose changes are followed outside of the form. */
export const valueOfEventTarget = (event: Event): string => (event.currentTarget as HTMLInputElement).value;

type SelectFieldProps = Omit<FieldProps, "children"> &
  OptionsProps & {
    required?: boolean;
    onChoose?: (value: string) => void;
  };

/** A select: values with labels. */
export const SelectField = ({ of, chosen, required = false, onChoose, ...field }: SelectFieldProps) => (
  <Field {...field}>
    <select required={required} onChange={(event) => onChoose?.(valueOfEventTarget(event))}>
      <SelectOptions of={of} chosen={chosen} />
    </select>
  </Field>
);

type NumberFieldProps = Omit<FieldProps, "children"> &
  NumberBounds & {
    value?: number | null | undefined;
    required?: boolean;
    class?: string;
  };

export const NumberField = ({ name, label, about, ...input }: NumberFieldProps) => (
  <Field name={name} label={label} about={about}>
    <NumberInput {...input} />
  </Field>
);

type OptionsProps = { of: readonly (readonly [string | number, string])[]; chosen: string | number | null };

export const SelectOptions = ({ of, chosen }: OptionsProps) => (
  <>
    {of.map(([value, words]) => (
      <option key={value} value={value} selected={value === (chosen ?? "")}>
        {words}
      </option>
    ))}
  </>
);
