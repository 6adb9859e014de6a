import { useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../texts.ts";
import { exact, readTyped } from "./typed-figure.ts";
import { brokenBound, type NumberBounds } from "./typed-number.ts";

type NumberInputProps = NumberBounds & {
  value?: unknown;
  /** How much 1 of what is typed is of what is stored, in whole numbers: 60 for minutes of seconds. */
  unit?: number;
  required?: boolean;
  class?: string;
  /** For what something else than the form follows; undefined of what is empty, or no number. */
  onChange?: (value: number | undefined) => void;
};

/** A number, as it is typed: its text stays what people write, and no form is sent while it is none. */
export function NumberInput({ value, unit = 1, min, max, step, onChange, ...control }: NumberInputProps) {
  const input = useRef<HTMLInputElement>(null);
  const isTyping = useRef(false);
  const written = typeof value === "number" ? exact(value / unit) : "";
  const judge = () => input.current?.setCustomValidity(wrongIn(input.current.value, { min, max, step }));
  useLayoutEffect(() => {
    // What others make of what is typed is not written over it.
    if (onChange && input.current && !isTyping.current) input.current.value = written;
  }, [written]);
  useLayoutEffect(() => {
    isTyping.current = false;
    judge();
  });
  const type = (event: Event) => {
    judge();
    isTyping.current = true;
    const read = readTyped((event.currentTarget as HTMLInputElement).value);
    onChange?.(typeof read === "number" ? inUnits(read, unit) : undefined);
  };
  // Keyboards of numbers alone have no minus on some phones.
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

/** What is wrong with what was typed, in words; nothing where it is empty or right. */
function wrongIn(text: string, bounds: NumberBounds): string {
  const read = readTyped(text);
  if (read === "empty") return "";
  if (read === "none") return t("number.none", { example: exact(3.14) });
  switch (brokenBound(read, bounds)) {
    case "min":
      return t("number.min", { min: exact(bounds.min) });
    case "max":
      return t("number.max", { max: exact(bounds.max) });
    case "step":
      return bounds.step === 0.01 ? t("number.hundredths") : t("number.whole");
    default:
      return "";
  }
}
