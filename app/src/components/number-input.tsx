import { useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../texts.ts";
import { formatUnroundedNumber, parseTypedNumber } from "./localized-number.ts";
import { firstViolatedBound, type NumberBounds } from "./typed-number.ts";

type NumberInputProps = NumberBounds & {
  value?: unknown;
  /** Stored units per typed unit: 60 if minutes are typed and seconds stored. */
  unit?: number;
  required?: boolean;
  class?: string;
  /** For state outside of the form. Undefined if empty or not a number. */
  onChange?: (value: number | undefined) => void;
};

/** A number input that keeps the typed text and blocks submission if it is not a number. */
export function NumberInput({ value, unit = 1, min, max, step, onChange, ...control }: NumberInputProps) {
  const input = useRef<HTMLInputElement>(null);
  const isTyping = useRef(false);
  const written = typeof value === "number" ? formatUnroundedNumber(value / unit) : "";
  const judge = () => input.current?.setCustomValidity(wrongIn(input.current.value, { min, max, step }));
  useLayoutEffect(() => {
    // Do not overwrite the field while the user types.
    if (onChange && input.current && !isTyping.current) input.current.value = written;
  }, [written]);
  useLayoutEffect(() => {
    isTyping.current = false;
    judge();
  });
  const type = (event: Event) => {
    judge();
    isTyping.current = true;
    const read = parseTypedNumber((event.currentTarget as HTMLInputElement).value);
    onChange?.(typeof read === "number" ? inUnits(read, unit) : undefined);
  };
  // Numeric keyboards of some phones have no minus.
  const inputMode = min === undefined || min < 0 ? "text" : step === undefined ? "numeric" : "decimal";
  return (
    <input
      autocomplete="off"
      inputMode={inputMode}
      {...control}
      defaultValue={written}
      onInput={type}
      ref={input}
    />
  );
}

const inUnits = (typed: number, unit: number): number => (unit === 1 ? typed : Math.round(typed * unit));

/** The validation message for the typed text, or an empty string. */
function wrongIn(text: string, bounds: NumberBounds): string {
  const read = parseTypedNumber(text);
  if (read === "empty") return "";
  if (read === "none") return t("number.none", { example: formatUnroundedNumber(3.14) });
  switch (firstViolatedBound(read, bounds)) {
    case "min":
      return t("number.min", { min: formatUnroundedNumber(bounds.min) });
    case "max":
      return t("number.max", { max: formatUnroundedNumber(bounds.max) });
    case "step":
      return bounds.step === 0.01 ? t("number.hundredths") : t("number.whole");
    default:
      return "";
  }
}
