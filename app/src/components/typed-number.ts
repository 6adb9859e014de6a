/** What a text stands for, as people type numbers: `none` is neither a number nor empty. */
export type TypedNumber = number | "empty" | "none";

/** Blanks, those that do not break too, and marks without a width, which come along with what is pasted. */
const around = /^[\s\p{Cf}]+|(?<![\s\p{Cf}])[\s\p{Cf}]+$/gu;

/** What text programs and web pages write in place of the minus of a keyboard. */
const minus = /[\u2010-\u2013\u2212\ufe63\uff0d]/g;

const decimalNumber = /^([+-]?)\s*(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/**
 * The number that a text stands for. A point is always decimal, and so is `sign`, the decimal sign of whoever types:
 * what stands between thousands makes no number, since `1,234` may be either.
 */
export function readNumber(text: string, sign: string): TypedNumber {
  const bare = text.replaceAll(around, "").replaceAll(minus, "-");
  if (bare === "") return "empty";
  const [, side, figures, power = ""] = decimalNumber.exec(bare.replace(sign, ".")) ?? [];
  const value = Number(`${side}${figures}${power}`);
  return figures !== undefined && Number.isFinite(value) ? value : "none";
}

/** A number as it can be typed again: all of it, and never grouped. */
export const writeNumber = (value: number, sign: string): string => String(value).replace(".", sign);

/** What stands between the whole and the rest of a number in a language. */
export const decimalSign = (language: string): string =>
  new Intl.NumberFormat(language).formatToParts(0.5).find(({ type }) => type === "decimal")?.value ?? ".";

/** What a number may be. */
export type NumberBounds = {
  min?: number | undefined;
  max?: number | undefined;
  /** How far one number is from the next; without it they are whole. */
  step?: number | "any" | undefined;
};

/** Which of its bounds a number does not keep. */
export function brokenBound(
  value: number,
  { min = -Infinity, max = Infinity, step = 1 }: NumberBounds,
): "min" | "max" | "step" | undefined {
  if (value < min) return "min";
  if (value > max) return "max";
  if (step === "any") return undefined;
  const steps = value / step;
  return Math.abs(steps - Math.round(steps)) > 1e-9 * Math.max(1, Math.abs(steps)) ? "step" : undefined;
}
