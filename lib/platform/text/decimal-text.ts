/** A decimal number of a file, with any minus sign. NaN for other texts, such as `0x10`, `1,5` and `1_000`. */
export function parseDecimalText(text: string): number {
  const plain = text.trim().replace(/^[\u2212\u2013\ufe63\uff0d]/, "-");
  return /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?$/i.test(plain) ? Number(plain) : Number.NaN;
}

const fractionDigits = (value: number): number => {
  const [mantissa = "", exponent = "0"] = String(value).split("e");
  return Math.max(0, (mantissa.split(".")[1]?.length ?? 0) - Number(exponent));
};

const maxFractionDigits = 100;

const roundedTo = (value: number, digits: number): number =>
  Number(value.toFixed(Math.min(digits, maxFractionDigits)));

/** As of decimals: 0.3 - 0.1 is 0.2. */
export const decimalDifference = (one: number, other: number): number =>
  roundedTo(one - other, Math.max(fractionDigits(one), fractionDigits(other)));

/** The middle of a range as of decimals. */
export const decimalMiddle = (low: number, high: number): number =>
  roundedTo((low + high) / 2, Math.max(fractionDigits(low), fractionDigits(high)) + 1);
