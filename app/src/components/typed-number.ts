/** A parsed number. `none` is text that is neither a number nor empty. */
export type NumberOrEmptyOrInvalid = number | "empty" | "none";

/** White space, including non-breaking and zero-width characters from pasted text. */
const around = /^[\s\p{Cf}]+|(?<![\s\p{Cf}])[\s\p{Cf}]+$/gu;

/** Minus signs and dashes that word processors use instead of the hyphen-minus. */
const minus = /\p{Dash}/gu;

const decimalNumber = /^([+-]?)\s*(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/**
 * Parses a number. A point is always decimal, and so is `sign`, the locale's decimal separator. Grouping is
 * rejected, since `1,234` is ambiguous.
 */
export function parseNumberWithDecimalSeparator(text: string, sign: string): NumberOrEmptyOrInvalid {
  const bare = text.replaceAll(around, "").replaceAll(minus, "-");
  if (bare === "") return "empty";
  const [, side, figures, power = ""] = decimalNumber.exec(bare.replace(sign, ".")) ?? [];
  const value = Number(`${side}${figures}${power}`);
  return figures !== undefined && Number.isFinite(value) ? value : "none";
}

/** The full number in a form that can be typed again, ungrouped. */
export const formatNumberForInput = (value: number, sign: string): string => String(value).replace(".", sign);

export const decimalSeparatorOfLanguage = (language: string): string =>
  new Intl.NumberFormat(language).formatToParts(0.5).find(({ type }) => type === "decimal")?.value ?? ".";

export type NumberBounds = {
  min?: number | undefined;
  max?: number | undefined;
  /** Step between valid values. Default: whole numbers. */
  step?: number | "any" | undefined;
};

/** The first bound that the number violates. */
export function firstViolatedBound(
  value: number,
  { min = -Infinity, max = Infinity, step = 1 }: NumberBounds,
): "min" | "max" | "step" | undefined {
  if (value < min) return "min";
  if (value > max) return "max";
  if (step === "any") return undefined;
  const steps = value / step;
  return Math.abs(steps - Math.round(steps)) > 1e-9 * Math.max(1, Math.abs(steps)) ? "step" : undefined;
}
