import { useTyped } from "./typed-value.ts";

type NumberInputProps = {
  value: unknown;
  min?: number;
  max?: number;
  required?: boolean;
  /** How much 1 of what is typed is of what is stored, in whole numbers: 60 for minutes of seconds. */
  unit?: number;
  onChange: (value: number | undefined) => void;
};

/** A number that something else than its form follows. */
export function NumberInput({ value, unit = 1, onChange, ...told }: NumberInputProps) {
  const stored = typeof value === "number" ? value : undefined;
  const inUnits = (typed: number) => (unit === 1 ? typed : Math.round(typed * unit));
  const spelling = {
    read: (text: string) => (text === "" ? undefined : inUnits(Number(text))),
    write: (number: number | undefined) => (number === undefined ? "" : String(number / unit)),
  };
  return <input step="any" {...told} type="number" {...useTyped(stored, spelling, onChange)} />;
}
