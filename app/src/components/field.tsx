import { cloneElement, type VNode } from "preact";
import { useContext, useId, useState } from "preact/hooks";
import { IssuesContext } from "./form.tsx";
import { NumberInput } from "./number-input.tsx";
import type { NumberBounds } from "./typed-number.ts";

type FieldProps = {
  /** As the service calls it, so that what is wrong with it can be said here. */
  name: string;
  label: string;
  /** What to know before one writes. */
  about?: string | undefined;
  /** An `input`, `select` or `textarea`. */
  children: VNode<object>;
};

/** A field of a form with its label, and what the service has refused of it. */
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

/** The same, for a box to tick. */
export function CheckField({ name, label, about, children }: FieldProps) {
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
  const refused = useContext(IssuesContext)[name];
  const refusal = own || refused;
  const look = ({ target }: Event) => {
    const { validity, validationMessage } = target as HTMLInputElement;
    setOwn(validity.customError ? validationMessage : "");
  };
  const listeners = {
    // What is half written is not wrong yet.
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

/** What is typed or chosen in a control that something else than its form follows. */
export const typedIn = (event: Event): string => (event.currentTarget as HTMLInputElement).value;

type SelectFieldProps = Omit<FieldProps, "children"> &
  OptionsProps & {
    required?: boolean;
    /** For what something else than the form follows. */
    onChoose?: (value: string) => void;
  };

/** One of a list of values, each with its words. */
export const SelectField = ({ of, chosen, required = false, onChoose, ...field }: SelectFieldProps) => (
  <Field {...field}>
    <select required={required} onChange={(event) => onChoose?.(typedIn(event))}>
      <Options of={of} chosen={chosen} />
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

/** The options of a `select`, of which one is chosen at first. */
export const Options = ({ of, chosen }: OptionsProps) => (
  <>
    {of.map(([value, words]) => (
      <option key={value} value={value} selected={value === (chosen ?? "")}>
        {words}
      </option>
    ))}
  </>
);
